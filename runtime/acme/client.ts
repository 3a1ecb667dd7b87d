/**
 * Requests to an authority (RFC 8555 §6): signed, with a nonce each, over HTTPS alone, bounded in time and size, without redirects and proxies.
 * A nonce that the authority refuses is replaced; nothing else is tried again here.
 */
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { retryAfterMs } from '#actors/kit/retry-after.ts';
import { skepVersion } from '#runtime/version.ts';
import { AcmeFault, faultOf, kindOf, unreachable, type Problem } from './fault.ts';
import { signRequest } from './signing.ts';

export interface ClientPorts {
  /** PEM of the only authority that is trusted; undefined: the public ones. */
  readonly ca: string | undefined;
  readonly accountKey: KeyObject;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

export interface Answer {
  readonly status: number;
  readonly location: string;
  readonly waitMs: number | null;
  readonly text: string;
  /** The members of a JSON object; empty for anything else. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface Sent extends Answer {
  readonly nonce: string;
}

interface Wish {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly payload?: string;
  readonly accept?: string;
}

const PEM_CHAIN = 'application/pem-certificate-chain';

export class AcmeClient {
  readonly #ports: ClientPorts;
  readonly #agent: Agent;
  #nonceUrl = '';
  #nonce = '';
  /** The URL of the account; null until it is known. */
  kid: string | null = null;

  constructor(ports: ClientPorts) {
    this.#ports = ports;
    const trust = ports.ca === undefined ? {} : { ca: ports.ca };
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, ...trust });
  }

  /** The directory (RFC 8555 §7.1.1). */
  async directory(url: string): Promise<Answer['body']> {
    const answer = await this.#send(url, { method: 'GET' });
    if (answer.status !== 200) throw faultOf('request for its directory', answer.body, answer.status, answer.waitMs);
    this.#nonceUrl = urlIn(answer.body, 'newNonce');
    return answer.body;
  }

  /** Posts a signed request; throws AcmeFault for an answer of 400 and above. `what` names it in the fault. */
  async post(what: string, url: string, payload: object | null, accept?: string): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#postOnce(url, payload, accept);
      if (answer.status < 400) return answer;
      if (kindOf(answer.body) !== 'badNonce' || tries >= limits.acme.nonceTriesMax)
        throw faultOf(what, answer.body, answer.status, answer.waitMs);
    }
  }

  /** The chain at a certificate's URL (RFC 8555 §7.4.2), as it came. */
  async chain(url: string): Promise<string> {
    return (await this.post('download of the certificate', url, null, PEM_CHAIN)).text;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #postOnce(url: string, payload: object | null, accept?: string): Promise<Sent> {
    const nonce = this.#nonce === '' ? await this.#newNonce() : this.#nonce;
    this.#nonce = '';
    const signed = signRequest(this.#ports.accountKey, this.kid, url, nonce, payload);
    return this.#send(url, {
      method: 'POST',
      payload: JSON.stringify(signed),
      ...(accept !== undefined && { accept }),
    });
  }

  async #newNonce(): Promise<string> {
    const { nonce, status, body, waitMs } = await this.#send(this.#nonceUrl, { method: 'HEAD' });
    if (nonce === '') throw faultOf('request for a nonce', body, status, waitMs);
    return nonce;
  }

  async #send(url: string, wish: Wish): Promise<Sent> {
    const { host } = new URL(url);
    const signal = AbortSignal.any([this.#ports.signal, AbortSignal.timeout(limits.acme.requestMs)]);
    try {
      const response = await this.#begin(url, wish, signal);
      const text = await textOf(response);
      const { headers, statusCode = 0 } = response;
      const nonce = headers['replay-nonce'];
      if (typeof nonce === 'string' && /^[A-Za-z0-9_-]{1,1000}$/.test(nonce)) this.#nonce = nonce;
      return {
        status: statusCode,
        location: headers.location ?? '',
        waitMs: retryAfterMs(headers['retry-after'] ?? null, this.#ports.now()),
        text,
        body: membersOf(text),
        nonce: this.#nonce,
      };
    } catch (error) {
      if (error instanceof AcmeFault) throw error;
      throw unreachable(host, error);
    }
  }

  #begin(url: string, { accept, method, payload }: Wish, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = {
      'User-Agent': `skep/${skepVersion()}`,
      'Accept-Language': 'en',
      ...(accept !== undefined && { Accept: accept }),
      ...(payload !== undefined && {
        'Content-Type': 'application/jose+json',
        'Content-Length': Buffer.byteLength(payload),
      }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers, agent: this.#agent, signal }, resolve);
      outgoing.once('error', reject);
      outgoing.end(payload);
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.acme.answerBytesMax) {
      response.destroy();
      throw new AcmeFault('the authority sent more than an answer may have', 'look at gateway.tls.acme.directory');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function membersOf(text: string): Readonly<Record<string, unknown>> & Problem {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A member that is an https URL; throws AcmeFault for anything else. */
export function urlIn(body: Readonly<Record<string, unknown>>, member: string): string {
  return checkedUrl(body[member], member);
}

/** The text of an https URL that an authority gave; throws AcmeFault for anything else. */
export function checkedUrl(value: unknown, what: string): string {
  const isUrl =
    typeof value === 'string' &&
    value.length <= limits.acme.urlCharsMax &&
    URL.canParse(value) &&
    new URL(value).protocol === 'https:';
  if (isUrl) return value;
  throw new AcmeFault(
    `the authority gave no https URL as its ${what}`,
    'gateway.tls.acme.directory has to be the URL of an ACME directory (RFC 8555 §7.1.1)',
  );
}

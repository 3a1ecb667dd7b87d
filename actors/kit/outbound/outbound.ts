/**
 * Requests to the world outside: to declared hosts only, never to a private address by accident (addresses are checked where the
 * connection is made, so a name that changes its mind gains nothing), with a deadline, a bounded answer, and no redirects.
 */
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { limits } from '#config/limits.ts';
import { isPrivateAddress, PrivateHosts } from './private-hosts.ts';

/** Why there is no answer. `busy`: too many requests are under way. */
export class OutboundFault extends Error {
  readonly why: 'forbidden' | 'deadline' | 'too_large' | 'failed' | 'busy';

  constructor(why: OutboundFault['why'], message: string) {
    super(message);
    this.why = why;
  }
}

export interface OutboundOptions {
  /** `outbound.allow_private` of the platform file. */
  readonly allowPrivate?: readonly string[];
  readonly deadlineMs?: number;
  readonly responseBytesMax?: number;
  readonly inFlightMax?: number;
  /** How a name becomes addresses; the system's way unless given. */
  readonly resolve?: typeof lookup;
}

export interface OutboundRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** `status`: the answer's body matters to nobody, and is not read. */
  readonly wants?: 'answer' | 'status';
}

export class Outbound {
  readonly #private: PrivateHosts;
  readonly #deadlineMs: number;
  readonly #bytesMax: number;
  readonly #inFlightMax: number;
  readonly #resolve: typeof lookup;
  #inFlight = 0;

  constructor(options: OutboundOptions = {}) {
    this.#private = new PrivateHosts(options.allowPrivate ?? []);
    this.#deadlineMs = options.deadlineMs ?? limits.outbound.deadlineMs;
    this.#bytesMax = options.responseBytesMax ?? limits.outbound.responseBytesMax;
    this.#inFlightMax = options.inFlightMax ?? limits.outbound.inFlightMax;
    this.#resolve = options.resolve ?? lookup;
  }

  /** One exchange; the whole answer is read. Rejects with OutboundFault. A redirect is an answer like any other. */
  async fetch(url: URL, request: OutboundRequest): Promise<Response> {
    if (this.#inFlight >= this.#inFlightMax) throw new OutboundFault('busy', 'too many requests under way');
    this.#inFlight++;
    const signal = AbortSignal.timeout(this.#deadlineMs);
    try {
      return await this.#exchange(url, request, signal);
    } catch (error) {
      if (error instanceof OutboundFault) throw error;
      const message = `${url.origin}: ${(error as Error).message}`;
      throw new OutboundFault(signal.aborted ? 'deadline' : 'failed', message);
    } finally {
      this.#inFlight--;
    }
  }

  #exchange(url: URL, { method, headers, body, wants }: OutboundRequest, signal: AbortSignal): Promise<Response> {
    const { hostname, port } = targetOf(url);
    if (isIP(hostname) !== 0) this.#check(url, hostname, port, hostname);
    const options: RequestOptions = {
      method,
      headers,
      signal,
      lookup: this.#lookup(url, hostname, port),
      agent: false,
    };
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(url, options, (response) => {
        if (wants === 'status') {
          resolve(new Response(null, { status: response.statusCode! }));
          request.destroy();
          return;
        }
        this.#collect(url, response).then(resolve, (error: Error) => {
          request.destroy();
          reject(error);
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Plain HTTP, and private addresses, only where the platform file names the host. */
  #check(url: URL, hostname: string, port: number, address: string): void {
    const guarded = url.protocol !== 'https:' || isPrivateAddress(address);
    if (guarded && !this.#private.allows(hostname, port, address))
      throw new OutboundFault('forbidden', `${url.origin} is not allowed: see outbound.allow_private`);
  }

  #lookup(url: URL, hostname: string, port: number): LookupFunction {
    return (name, options, done) => {
      this.#resolve(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
        try {
          if (error !== null) throw error;
          for (const { address } of found) this.#check(url, hostname, port, address);
        } catch (refused) {
          done(refused as Error, []);
          return;
        }
        if (options.all === true) done(null, found);
        else done(null, found[0]!.address, found[0]!.family);
      });
    };
  }

  async #collect(url: URL, response: IncomingMessage): Promise<Response> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > this.#bytesMax) throw new OutboundFault('too_large', `${url.origin}: answer above ${this.#bytesMax}`);
      chunks.push(chunk);
    }
    const status = response.statusCode!;
    const body = status === 204 || status === 205 || status === 304 ? null : Buffer.concat(chunks);
    return new Response(body, { status, headers: headersOf(response) });
  }
}

function targetOf(url: URL): { hostname: string; port: number } {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { hostname: url.hostname.replace(/^\[|\]$/g, ''), port };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  return headers;
}

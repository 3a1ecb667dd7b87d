/** Requests of the agent to its vault: TLS 1.3, a deadline, an answer of bounded size. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { limits } from '#config/limits.ts';

/** A certificate and its key, PEM. */
export interface Badge {
  readonly cert: string;
  readonly key: string;
}

export interface VaultAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The vault refused, with its reason. */
export class VaultRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(`${code}: ${message}`);
    this.status = status;
    this.code = code;
  }
}

/** The vault gave no answer: it may or may not have done what was requested. */
export class VaultAway extends Error {}

export class VaultCalls {
  readonly #url: string;
  readonly #ca: string | undefined;
  /** One session for each badge: a connection has the identity of the certificate that it showed. */
  readonly #agents = new Map<string, Agent>();

  constructor(url: string, ca: string | undefined) {
    this.#url = url;
    this.#ca = ca;
  }

  /** The JSON of a 2xx answer; throws VaultRefused or VaultAway. */
  async json<T>(method: string, path: string, badge: Badge | null, body?: unknown): Promise<T> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const answer = await this.send(method, path, badge, bytes);
    const value = parse(answer.body);
    if (answer.status >= 300) {
      const { code = `status ${answer.status}`, error = 'no reason given' } = (value ?? {}) as Record<string, string>;
      // A vault that is sealed, loses its backend or sheds load counts as away, too: the same request may succeed later.
      if (answer.status >= 500) throw new VaultAway(`${code}: ${error}`);
      throw new VaultRefused(answer.status, code, error);
    }
    if (value === null) throw new VaultAway('the answer of the vault is not JSON');
    return value as T;
  }

  /** Any answer of the vault. Throws VaultAway when there is none. */
  send(
    method: string,
    path: string,
    badge: Badge | null,
    body?: Buffer,
    more: Readonly<Record<string, string>> = {},
  ): Promise<VaultAnswer> {
    const framed = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
    const signal = AbortSignal.timeout(limits.agent.requestMs);
    const options = { method, headers: { ...framed, ...more }, agent: this.#agentOf(badge), signal };
    return new Promise((resolve, reject) => {
      const away = (error: NodeJS.ErrnoException): void =>
        reject(new VaultAway(`the vault at ${this.#url} does not answer: ${error.code ?? error.message}`));
      try {
        const asked = request(new URL(path, this.#url), options, (answer) => collect(asked, answer, resolve, away));
        asked.on('error', away);
        asked.end(body);
      } catch (error) {
        away(error as Error); // TLS cannot read the certificate or the key
      }
    });
  }

  /** Closes connections; those of a badge that is no longer used, when one is named. */
  close(badge?: Badge): void {
    for (const [cert, agent] of this.#agents)
      if (badge === undefined || badge.cert === cert) {
        agent.destroy();
        this.#agents.delete(cert);
      }
  }

  #agentOf(badge: Badge | null): Agent {
    const name = badge?.cert ?? '';
    let agent = this.#agents.get(name);
    if (agent === undefined) {
      const shown = badge === null ? {} : badge;
      agent = new Agent({ keepAlive: true, maxSockets: 16, minVersion: 'TLSv1.3', ca: this.#ca, ...shown });
      this.#agents.set(name, agent);
    }
    return agent;
  }
}

/** The whole answer, up to a limit. */
function collect(
  asked: ClientRequest,
  answer: IncomingMessage,
  resolve: (answer: VaultAnswer) => void,
  away: (error: Error) => void,
): void {
  const pieces: Buffer[] = [];
  let length = 0;
  answer.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length > limits.agent.answerBytesMax) asked.destroy(new Error('its answer is too large'));
    else pieces.push(piece);
  });
  answer.on('error', away);
  answer.on('end', () => resolve({ status: answer.statusCode!, body: Buffer.concat(pieces), headers: answer.headers }));
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

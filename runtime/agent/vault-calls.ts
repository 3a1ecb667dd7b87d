/** The agent's requests to its vault: TLS 1.3, a deadline, an answer of bounded size. */
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

/** The vault refused: what it said. */
export class VaultRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(`${code}: ${message}`);
    this.status = status;
    this.code = code;
  }
}

/** The vault could not be asked: what was asked may have been done. */
export class VaultAway extends Error {}

export class VaultCalls {
  readonly #url: string;
  readonly #ca: string | undefined;
  /** One for each badge: a connection speaks for whose certificate it showed. */
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
      // A vault that is sealed, loses its backend or sheds load is away, too: the same may do later.
      if (answer.status >= 500) throw new VaultAway(`${code}: ${error}`);
      throw new VaultRefused(answer.status, code, error);
    }
    if (value === null) throw new VaultAway('the vault answers no JSON');
    return value as T;
  }

  /** Any answer. Throws VaultAway when there is none. */
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
        away(error as Error); // a certificate or a key that TLS cannot read
      }
    });
  }

  /** Lets go of connections; those of a badge that is not used any more, when one is named. */
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

/** All of an answer, up to a bound. */
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

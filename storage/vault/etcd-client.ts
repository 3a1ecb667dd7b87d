/** One JSON client of an etcd cluster: bounded in time and bytes, its connections kept, TLS where the endpoints say https. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { limits } from '#config/limits.ts';
import { BackendDown } from './port.ts';

export interface EtcdTls {
  /** PEM texts. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** A user of a cluster whose authentication is on. */
export interface EtcdUser {
  readonly name: string;
  readonly password: string;
}

export interface EtcdOptions {
  /** `http://127.0.0.1:2379`, …: the first that answers serves. */
  readonly endpoints: readonly string[];
  readonly timeoutMs: number;
  readonly tls?: EtcdTls;
  readonly user?: EtcdUser;
}

/** An answer that is no 200. */
class EtcdFault extends Error {
  readonly isTokenFault: boolean;

  constructor(status: number, text: string) {
    super(`it answers ${status}: ${text.slice(0, limits.vault.etcdFaultCharsMax)}`);
    this.isTokenFault = TOKEN_FAULTS.test(text);
  }
}

/** The token has expired, the server has restarted, or its users were changed: the request was not executed. */
const TOKEN_FAULTS = /invalid auth token|revision of auth store is old|auth: token is/;

/** Nothing was sent: another endpoint can be asked without executing the request twice. */
const UNSENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

export class EtcdClient {
  readonly #options: EtcdOptions;
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https: HttpsAgent;
  #first = 0;
  #token: string | null = null;
  #login: Promise<string> | null = null;

  constructor(options: EtcdOptions) {
    this.#options = options;
    this.#https = new HttpsAgent({ keepAlive: true, ...options.tls });
  }

  /** Asks one endpoint after the other. Rejects with BackendDown when none answers. */
  read<T>(verb: string, body: object): Promise<T> {
    return this.#ask(verb, body, () => true);
  }

  /** As read, but asks the next endpoint only where the request cannot have reached the last one. */
  write<T>(verb: string, body: object): Promise<T> {
    return this.#ask(verb, body, (error) => UNSENT.has(error.code ?? ''));
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #ask<T>(verb: string, body: object, mayGoOn: (error: NodeJS.ErrnoException) => boolean): Promise<T> {
    const { endpoints } = this.#options;
    for (let tried = 1; ; tried++) {
      try {
        return (await this.#asUser(verb, JSON.stringify(body))) as T;
      } catch (error) {
        const fault = error as NodeJS.ErrnoException;
        if (tried === endpoints.length || !mayGoOn(fault))
          throw new BackendDown(`etcd does not answer: ${fault.code ?? fault.message}`, { cause: error });
        this.#first = (this.#first + 1) % endpoints.length;
      }
    }
  }

  /** Sends a token where the cluster wants a user; an invalid token is renewed, once. */
  async #asUser(verb: string, body: string): Promise<unknown> {
    if (this.#options.user === undefined) return this.#post(verb, body, null);
    const token = this.#token ?? (await this.#logIn());
    try {
      return await this.#post(verb, body, token);
    } catch (error) {
      if (!(error instanceof EtcdFault) || !error.isTokenFault) throw error;
      if (this.#token === token) this.#token = null;
      return this.#post(verb, body, this.#token ?? (await this.#logIn()));
    }
  }

  /** etcd documentation, "Authentication" over the gateway: `auth/authenticate`. Requests that arrive meanwhile wait for the same token. */
  #logIn(): Promise<string> {
    this.#login ??= this.#post('auth/authenticate', JSON.stringify(this.#options.user), null)
      .then((answer) => (this.#token = (answer as { readonly token: string }).token))
      .finally(() => {
        this.#login = null;
      });
    return this.#login;
  }

  #post(verb: string, body: string, token: string | null): Promise<unknown> {
    const url = new URL(`/v3/${verb}`, this.#options.endpoints[this.#first]);
    const secure = url.protocol === 'https:';
    const options: RequestOptions = {
      method: 'POST',
      agent: secure ? this.#https : this.#http,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        ...(token !== null && { Authorization: token }),
      },
      signal: AbortSignal.timeout(this.#options.timeoutMs),
    };
    return new Promise((resolve, reject) => {
      const asked = (secure ? httpsRequest : httpRequest)(url, options, (answer) => {
        readAll(answer)
          .then((text) => resolve(jsonOf(answer.statusCode ?? 0, text)))
          .catch(reject);
      });
      asked.on('error', reject);
      asked.end(body);
    }).catch((error: unknown) => {
      throw (error as Error).name === 'AbortError' ? new Error(`nothing within ${this.#options.timeoutMs} ms`) : error;
    });
  }
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.vault.etcdAnswerBytesMax) throw new Error('its answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What etcd says of a failure names keys, never values. */
function jsonOf(status: number, text: string): unknown {
  if (status === 200) return JSON.parse(text);
  throw new EtcdFault(status, text);
}

/** Requests with their credential, their key and their retries (docs/contract/common.md §4.3, §4.4). */
import type { Change, Subscription } from './change.ts';
import { errorOf, SkepError } from './errors.ts';
import { backOffMs, pause } from './wait.ts';

/** What gives the bearer of a request. */
export interface Credential {
  /** The token to send; null for none. */
  bearer(signal?: AbortSignal): Promise<string | null>;
  /** The token that was sent last, which may be over by now; null where there is none, or it was not asked for yet. Nothing is waited for. */
  readonly held?: string | null;
  /** Whether the browser sends it by itself: then the token is none, but stands for it. */
  readonly inCookies?: boolean;
  /** Another token than this one, which does not count any more; null where there is none. */
  renew(stale: string, signal?: AbortSignal): Promise<string | null>;
}

export interface RetryOptions {
  /** How often a request is sent at most: 4 unless set. */
  readonly attempts?: number;
  /** The wait after the first failure, in milliseconds; it doubles with each: 250 unless set. */
  readonly firstMs?: number;
  /** The longest wait. An answer that asks for a longer one is thrown: 20,000 ms unless set. */
  readonly mostMs?: number;
}

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly query?: URLSearchParams;
  /** An object leaves as JSON, anything else as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** `once`: a write, sent again under one Idempotency-Key. `safe`: may be sent again. `never`: sent once. By default GET is safe, and anything else is `once`. */
  readonly again?: 'once' | 'safe' | 'never';
  /** The key of a write, where the caller has one of its own. */
  readonly key?: string | undefined;
  /** Without a credential. */
  readonly bare?: boolean;
  /** In place of the client's own. */
  readonly credential?: Credential;
  /** False for a route of the node, not of a tenant: pages of other origins may not send it a position. */
  readonly position?: false;
  /** How long the answer may take, in milliseconds, where that is not the time of the client. */
  readonly timeoutMs?: number;
}

/** What parts of the client need of it: `files(client)`, `bulk(client)` and the like. */
export interface Sender {
  readonly transport: Transport;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON; null where it is empty. */
  readonly json: unknown;
}

export interface TransportOptions {
  /** The origin of the node, without a slash at its end. */
  readonly base: string;
  /** Sent with each request: the position. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: Credential | null;
  readonly retry: RetryOptions;
  /** How long an answer may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
}

/** What passes by itself: the door, a proxy or the tenant's thread is busy or gone for a moment. */
const PASSING = new Set([429, 502, 503, 504]);

export class Transport {
  readonly #options: TransportOptions;
  credential: Credential | null;
  /** Follows changes in place of a stream of their own; `shareChanges` sets it. */
  shared: ((subscription: Subscription) => AsyncGenerator<Change<unknown>, void>) | null = null;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.credential = options.credential;
  }

  /** The origin of the node, without a slash at its end. */
  get base(): string {
    return this.#options.base;
  }

  /** The headers of the position; none at a site. */
  get headers(): Readonly<Record<string, string>> {
    return this.#options.headers;
  }

  /** Which tenant is asked: the origin and the position. */
  get place(): string {
    return [this.base, ...Object.values(this.#options.headers)].join(' ');
  }

  get retry(): RetryOptions {
    return this.#options.retry;
  }

  /** Sends, and reads the whole answer. Throws a SkepError for any answer that is no success, and the signal's reason once it is aborted. */
  send(ask: Ask): Promise<Answer> {
    return this.#retried(ask, async (headers) => {
      const { timeoutMs = this.#options.timeoutMs } = ask;
      const late = AbortSignal.timeout(timeoutMs);
      const response = await this.#fetch(ask, headers, ask.signal ? AbortSignal.any([ask.signal, late]) : late);
      const text = await response.text();
      return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) };
    });
  }

  /** Sends once, and gives the answer with its body unread. */
  open(ask: Ask): Promise<Response> {
    return this.#retried({ ...ask, again: 'never' }, (headers) => this.#fetch(ask, headers, ask.signal));
  }

  async #retried<T>(ask: Ask, once: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    const { attempts = 4, firstMs = 250, mostMs = 20_000 } = this.#options.retry;
    const { again = ask.method === 'GET' ? 'safe' : 'once', signal, credential = this.credential } = ask;
    const headers: Record<string, string> = { ...(ask.position ?? this.#options.headers), ...ask.headers };
    // One key for all attempts: an attempt whose answer was lost is answered again, not carried out again.
    if (again === 'once') headers['Idempotency-Key'] = ask.key ?? newKey();
    let renewed = false;
    for (let failures = 1; ;) {
      const token = ask.bare === true ? null : ((await credential?.bearer(signal)) ?? null);
      if (token !== null && credential!.inCookies !== true) headers['Authorization'] = `Bearer ${token}`;
      try {
        return await once(headers);
      } catch (thrown) {
        signal?.throwIfAborted();
        const error = asError(thrown);
        // A password that is wrong says nothing of the token, and must not be tried twice.
        if (error.status === 401 && error.code !== 'invalid_credentials' && token !== null && !renewed) {
          renewed = true;
          if ((await credential!.renew(token, signal)) !== null) continue;
        }
        if (again === 'never' || failures >= attempts || !isPassing(error)) throw error;
        const asked = error.retryAfterMs ?? 0;
        if (asked > mostMs) throw error;
        await pause(Math.max(asked, backOffMs(failures++, firstMs, mostMs)), signal);
      }
    }
  }

  /** Gives an answer that is a success. */
  async #fetch(ask: Ask, given: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
    const { base, fetch } = this.#options;
    const query = ask.query?.toString() ?? '';
    const headers: Record<string, string> = { ...given };
    let body = ask.body as RequestInit['body'];
    if (typeof body === 'object' && body !== null && isPlain(body)) {
      headers['Content-Type'] = 'application/json';
      body = JSON.stringify(body);
    }
    const response = await fetch(`${base}${ask.path}${query && `?${query}`}`, {
      method: ask.method,
      headers,
      ...(body !== undefined && body !== null && { body }),
      ...(signal && { signal }),
    });
    if (response.ok) return response;
    throw await errorOf(response);
  }
}

const isPlain = (value: object): boolean => Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;

export const isPassingStatus = (status: number): boolean => PASSING.has(status);

/** Whether the request may succeed when it is sent again later. */
export const isPassing = ({ status, code }: SkepError): boolean =>
  isPassingStatus(status) ||
  code === 'client.network' ||
  code === 'v2.idempotency_key_in_use' ||
  code === 'v2.engine_unavailable';

/** What fetch, or a body that is read, threw means that no answer came. */
export function asError(thrown: unknown): SkepError {
  if (thrown instanceof SkepError) return thrown;
  const message = `no whole answer came: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return new SkepError(0, 'client.network', { message, cause: thrown });
}

/** How long a loop waits at least before it goes on after this; throws what does not pass by itself. */
export function passingMs(thrown: unknown, signal: AbortSignal | undefined): number {
  signal?.throwIfAborted();
  const error = asError(thrown);
  if (!isPassing(error)) throw error;
  return error.retryAfterMs ?? 0;
}

/** 128 random bits. `crypto.randomUUID` is missing on pages without https. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

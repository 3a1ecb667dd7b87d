/**
 * Connections to upstreams: one pool per origin and thread. Every connection is made to an address that was checked in its own
 * lookup. Redirects are not followed: their targets are not declared.
 */
import type { Readable } from 'node:stream';
import { limits } from '#config/limits.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import { AddressGuard, type Resolve } from '#actors/kit/outbound/guard.ts';
import { poolClass, type Pool } from '#actors/kit/outbound/undici-pool.ts';

export interface OutsideRequest {
  readonly origin: string;
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface OutsideAnswer {
  readonly status: number;
  /** The body when the status is a success, else empty: the body of a failure is not used. */
  readonly text: string;
}

/** One exchange; the whole answer is read. Rejects with OutboundFault (`forbidden`, `too_large`, `unreachable`, `failed`), or when the signal fires. */
export interface Exchange {
  exchange(request: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer>;
}

export class Pools implements Exchange {
  readonly #guard: AddressGuard;
  /** In the order of their last use. */
  readonly #pools = new Map<string, Pool>();

  /** `allowPrivate` is `outbound.allow_private` of the platform file. */
  constructor(allowPrivate: readonly string[], resolve?: Resolve) {
    this.#guard = new AddressGuard(allowPrivate, resolve);
  }

  async exchange(
    { origin, method, target, headers, body }: OutsideRequest,
    signal: AbortSignal,
  ): Promise<OutsideAnswer> {
    this.#guard.check(new URL(origin));
    try {
      const answer = await this.#pool(origin).request({ method, path: target, headers, body, signal });
      const { statusCode: status } = answer;
      if (Number(answer.headers['content-length'] ?? 0) > limits.bff.answerBytesMax)
        throw tooLarge(origin, answer.body);
      if (status >= 200 && status < 300) return { status, text: await answer.body.text() };
      await answer.body.dump();
      return { status, text: '' };
    } catch (error) {
      throw faultOf(origin, error as Error & { code?: string });
    }
  }

  #pool(origin: string): Pool {
    const present = this.#pools.get(origin);
    if (present !== undefined) this.#pools.delete(origin);
    const pool =
      present ??
      new (poolClass())(origin, {
        connections: limits.bff.connectionsMax,
        pipelining: 1,
        allowH2: false,
        keepAliveTimeout: limits.bff.keepAliveMs,
        maxResponseSize: limits.bff.answerBytesMax,
        // The call's own deadline ends it.
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { lookup: this.#guard.lookup(new URL(origin)), timeout: limits.bff.connectMs },
      });
    this.#pools.set(origin, pool);
    this.#bound();
    return pool;
  }

  /** Closes the connections of the least recently used origin, once its requests have ended. */
  #bound(): void {
    if (this.#pools.size <= limits.bff.poolsMax) return;
    const [origin, pool] = this.#pools.entries().next().value!;
    this.#pools.delete(origin);
    void pool.close();
  }
}

function tooLarge(origin: string, body: Readable): OutboundFault {
  body.on('error', () => undefined).destroy();
  return new OutboundFault('too_large', `${origin}: answer above ${limits.bff.answerBytesMax}`);
}

function faultOf(origin: string, error: Error & { code?: string }): Error {
  if (error instanceof OutboundFault) return error;
  if (error.cause instanceof OutboundFault) return error.cause;
  return new OutboundFault(whyOf(error.code), `${origin}: ${error.message}`);
}

/** Error codes of connect(2), of the lookup of a name, and of undici's timeout for both. */
const NO_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function whyOf(code: string | undefined): OutboundFault['why'] {
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too_large';
  return code !== undefined && NO_CONNECTION.has(code) ? 'unreachable' : 'failed';
}

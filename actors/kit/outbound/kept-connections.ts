/**
 * Connections that wait for a next request to the same origin, for requests of which only the status is wanted. Their address was checked when they were made (guard.ts), so nothing of it
 * is checked again. They are for requests that carry their own proof: callers share them.
 */
import type { LookupFunction } from 'node:net';
import { limits } from '#config/limits.ts';
import { poolClass, type Pool } from './undici-pool.ts';
import { StatusExchange, type StatusRequest } from './status-exchange.ts';

const { deadlineMs, inFlightMax, keptMs, keptOriginsMax } = limits.outbound;

interface Kept {
  readonly pool: Pool;
  /** Whether a connection of it may have answered before, and so may have been closed by its receiver meanwhile. */
  isUsed: boolean;
}

export class KeptConnections {
  /** By origin. */
  readonly #kept = new Map<string, Kept>();

  /** `lookup` checks the addresses of a new connection. Null for a further origin where so many have connections that none is kept for it. */
  of(url: URL, lookup: LookupFunction): KeptOrigin | null {
    const { origin } = url;
    let kept = this.#kept.get(origin);
    if (kept === undefined) {
      if (this.#kept.size >= keptOriginsMax) this.#forgetIdle();
      if (this.#kept.size >= keptOriginsMax) return null;
      kept = { pool: poolOf(origin, lookup), isUsed: false };
      this.#kept.set(origin, kept);
    }
    return new KeptOrigin(kept);
  }

  /** Origins whose last connection has ended. */
  #forgetIdle(): void {
    for (const [origin, { pool }] of this.#kept) {
      const { connected, pending, queued, running } = pool.stats;
      if (connected + pending + queued + running > 0) continue;
      this.#kept.delete(origin);
      void pool.close();
    }
  }
}

function poolOf(origin: string, lookup: LookupFunction): Pool {
  return new (poolClass())(origin, {
    connections: inFlightMax,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keptMs,
    keepAliveMaxTimeout: keptMs,
    // The request's own deadline ends it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { lookup, timeout: deadlineMs },
  });
}

/** The connections to one origin. */
export class KeptOrigin {
  readonly #kept: Kept;

  constructor(kept: Kept) {
    this.#kept = kept;
  }

  /** Whether a request that breaks may have met a connection that its receiver had closed. */
  get isUsed(): boolean {
    return this.#kept.isUsed;
  }

  /** The status of the answer, whose body is dropped. Rejects when the connection fails or the signal fires before it is there. */
  async status(request: StatusRequest, signal: AbortSignal): Promise<number> {
    const status = await new StatusExchange(signal).through(this.#kept.pool, request);
    this.#kept.isUsed = true;
    return status;
  }
}

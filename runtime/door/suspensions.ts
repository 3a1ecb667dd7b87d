/**
 * Routes of tenants that the door refuses for a while, because their turns stood still so long that the watchdog ended a host more than
 * once. By tenant and route: the tenant's other routes, and the same route of other tenants, are served. Only main's watchdog suspends.
 * The number of entries is bounded, times are monotonic, and a request costs one Map read while anything is suspended.
 */
import { limits } from '#config/limits.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { refuseAtDoor } from './refusals.ts';

/** Stands for every route of the tenant: the host was ended while it woke the tenant. */
export const EVERY_ROUTE = -1;

const ROUTES = 65_536;

interface Strikes {
  count: number;
  at: number;
  /** The end of the suspension; 0 where there is none. */
  until: number;
  readonly name: string;
}

export interface SuspensionsPorts {
  monotonic(): number;
  readonly refuseForMs: number;
  /** Called when a route is refused from now on; ended() when it no longer is. */
  began(name: string, forMs: number): void;
  ended(name: string): void;
}

export class Suspensions {
  readonly #ports: SuspensionsPorts;
  readonly #strikes = new Map<number, Strikes>();
  #active = 0;
  /** Requests that were refused, for /metrics. */
  refused = 0;

  constructor(ports: SuspensionsPorts) {
    this.#ports = ports;
  }

  /** How many routes of tenants are refused now; while it is 0 the door does not ask further. */
  get active(): number {
    return this.#active;
  }

  /** Counts that a host was ended in this route. `name`: tenant and route in words, for logs. */
  strike(tenantNo: number, routeNo: number, name: string): void {
    const key = keyOf(tenantNo, routeNo);
    const now = this.#ports.monotonic();
    const before = this.#strikes.get(key);
    const { strikeWindowMs, strikesMax } = limits.watchdog;
    const isRecent = before !== undefined && now - Math.max(before.at, before.until) < strikeWindowMs;
    if (before !== undefined && before.until > 0) this.#end(before);
    const strikes = { count: (isRecent ? before.count : 0) + 1, at: now, until: 0, name };
    this.#strikes.delete(key);
    this.#strikes.set(key, strikes);
    if (strikes.count >= strikesMax) this.#begin(strikes, now);
    if (this.#strikes.size > limits.watchdog.strikeEntriesMax) this.#forgetOldest();
  }

  /** The refusal of a request, or null. Asked only while something is suspended. */
  refusal(tenantNo: number, routeNo: number): Refusal | null {
    const until = Math.max(this.#untilOf(tenantNo, routeNo), this.#untilOf(tenantNo, EVERY_ROUTE));
    const left = until - this.#ports.monotonic();
    if (left <= 0) return null;
    this.refused++;
    return refuseAtDoor('suspended', { headers: retryAfter(Math.ceil(left / 1000)) });
  }

  /** Ends suspensions whose time is over. */
  sweep(): void {
    if (this.#active === 0) return;
    const now = this.#ports.monotonic();
    for (const strikes of this.#strikes.values()) if (strikes.until > 0 && strikes.until <= now) this.#end(strikes);
  }

  /** Ends every suspension at an operator's wish and gives how many there were. Strikes are kept, so the next suspension lasts as if none had been lifted. */
  lift(): number {
    const lifted = this.#active;
    for (const strikes of this.#strikes.values()) if (strikes.until > 0) this.#end(strikes);
    return lifted;
  }

  #untilOf(tenantNo: number, routeNo: number): number {
    return this.#strikes.get(keyOf(tenantNo, routeNo))?.until ?? 0;
  }

  /** Each further suspension is twice as long, up to the bound. */
  #begin(strikes: Strikes, now: number): void {
    const { strikesMax, refuseMsMax } = limits.watchdog;
    const forMs = Math.min(this.#ports.refuseForMs * 2 ** (strikes.count - strikesMax), refuseMsMax);
    strikes.until = now + forMs;
    this.#active++;
    this.#ports.began(strikes.name, forMs);
  }

  #end(strikes: Strikes): void {
    strikes.until = 0;
    this.#active--;
    this.#ports.ended(strikes.name);
  }

  #forgetOldest(): void {
    const [[key, strikes]] = this.#strikes as unknown as [[number, Strikes]];
    if (strikes.until > 0) this.#end(strikes);
    this.#strikes.delete(key);
  }
}

const keyOf = (tenantNo: number, routeNo: number): number => tenantNo * ROUTES + routeNo + 1;

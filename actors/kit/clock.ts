/** Time is passed in: behaviour never reads the wall clock by itself. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that a test moves by hand. */
export class SimulatedClock implements Clock {
  #now: number;

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#now = nowMs;
  }

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  set(nowMs: number): void {
    this.#now = nowMs;
  }
}

const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/** RFC 3339 UTC with milliseconds; instants past the year 9999 are cut at 9999-12-31T23:59:59Z (decisions.md "All services"). */
export function timestamp(ms: number): string {
  return ms >= LAST_INSTANT_MS ? '9999-12-31T23:59:59Z' : new Date(ms).toISOString();
}

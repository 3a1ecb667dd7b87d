/** Time is passed in: behaviour never reads the wall clock by itself. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A clock that slices are measured by, too. */
export interface FineClock extends Clock {
  /** Milliseconds with their fractions, from any beginning; a step of the wall clock does not move it. */
  fine(): number;
}

export const systemClock: FineClock = { now: () => Date.now(), fine: () => performance.now() };

/** A clock that a test moves by hand, by fractions of a millisecond where it likes. */
export class SimulatedClock implements FineClock {
  #now: number;

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#now = nowMs;
  }

  now(): number {
    return Math.floor(this.#now);
  }

  fine(): number {
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

/** What was written last: a thread writes many of the same millisecond, and a date takes longer than most of what it stands in. */
let written = { ms: Number.NaN, text: '' };

/** RFC 3339 UTC with milliseconds; instants past the year 9999 are cut at 9999-12-31T23:59:59Z (decisions.md "All services"). */
export function timestamp(ms: number): string {
  if (ms === written.ms) return written.text;
  const text = ms >= LAST_INSTANT_MS ? '9999-12-31T23:59:59Z' : new Date(ms).toISOString();
  written = { ms, text };
  return text;
}

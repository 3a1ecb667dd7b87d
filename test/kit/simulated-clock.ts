import type { FineClock } from '#actors/kit/clock.ts';

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

/**
 * The floor of a node's clock: the highest instant that it has been at work. A clock that was set back does not make expired credentials
 * valid again, since time continues from the floor. Pure: main passes the clocks and keeps the file (runtime/clock-floor.ts).
 *
 * A clock may also have jumped ahead once by mistake, and then the floor itself would be wrong. So the floor follows a jump only after the
 * clock has kept the new time for a while, and a clock that is behind the floor by more than a bound is trusted instead of the floor.
 */
import { limits } from '#config/limits.ts';

export interface ClockLook {
  /** Milliseconds to be added to the wall clock. */
  readonly offsetMs: number;
  /** How far the wall clock is behind the floor; 0 when it is not. */
  readonly behindMs: number;
}

export class ClockFloor {
  /** The floor at one instant of the monotonic clock; it goes on with that. */
  #floorMs: number;
  #atFine: number;
  /** When the wall clock was first seen far ahead of the floor; null while it is not. */
  #aheadSince: number | null = null;

  /** `known`: the highest instant that an earlier start made durable, 0 for none. */
  constructor(known: number, wallMs: number, fineMs: number) {
    this.#floorMs = known === 0 ? wallMs : known;
    this.#atFine = fineMs;
  }

  /** The floor at this instant, which main makes durable. */
  at(fineMs: number): number {
    return Math.floor(this.#floorMs + fineMs - this.#atFine);
  }

  look(wallMs: number, fineMs: number): ClockLook {
    const behindMs = this.at(fineMs) - wallMs;
    if (behindMs <= 0) {
      this.#follow(wallMs, fineMs, -behindMs);
      return { offsetMs: 0, behindMs: 0 };
    }
    this.#aheadSince = null;
    return { offsetMs: behindMs <= limits.clock.behindMsMax ? behindMs : 0, behindMs };
  }

  #follow(wallMs: number, fineMs: number, aheadMs: number): void {
    const { jumpMs, standsMs } = limits.clock;
    if (aheadMs > jumpMs) {
      this.#aheadSince ??= fineMs;
      if (fineMs - this.#aheadSince < standsMs) return;
    }
    this.#aheadSince = null;
    this.#floorMs = wallMs;
    this.#atFine = fineMs;
  }
}

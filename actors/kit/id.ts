/** ULIDs, upper case, monotonic within the actor that issues them, also when the clock steps back (docs/contract/common.md §2.1). */
import { randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';
import { isUlid } from '#config/values/id.ts';
import type { Clock } from './clock.ts';

/** The milliseconds since the epoch in a ULID's first ten chars; NaN where the text is no ULID. */
export function ulidMs(text: string): number {
  return isUlid(text) ? decodeTime(text) : Number.NaN;
}

const RANDOM_CHARS = 16;
const TIME_CHARS = 10;

/** Issues ULIDs: 48 bits of milliseconds, 80 random bits that count up within one millisecond. */
export class IdSource {
  readonly #clock: Clock;
  readonly #next = monotonicFactory(drawnFractions());
  #lastMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    this.#lastMs = Math.max(this.#lastMs, this.#clock.now());
    if (this.#lastMs > 0) return this.#next(this.#lastMs);
    // The package takes a time of 0 for none, and would look at the machine's clock.
    return encodeTime(0) + this.#next(1).slice(TIME_CHARS);
  }
}

/**
 * Random fractions as the package asks for them, one a char, the first char last: drawn together, once for each new millisecond.
 * The first char is below 16: room above it, so that counting up cannot overflow.
 */
function drawnFractions(): () => number {
  const drawn = new Uint8Array(RANDOM_CHARS);
  let at = RANDOM_CHARS;
  return () => {
    if (at === RANDOM_CHARS) {
      randomFillSync(drawn);
      drawn[RANDOM_CHARS - 1]! &= 0x7f;
      at = 0;
    }
    return drawn[at++]! / 256;
  };
}

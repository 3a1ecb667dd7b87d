/** ULIDs, upper case, monotonic within the actor that issues them, also when the clock steps back (docs/contract/common.md §2.1). */
import { randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, incrementBase32 } from 'ulid';
import { isUlid } from '#config/values/id.ts';
import type { Clock } from './clock.ts';

/** The milliseconds since the epoch in a ULID's first ten chars; NaN where the text is no ULID. */
export function ulidMs(text: string): number {
  return isUlid(text) ? decodeTime(text) : Number.NaN;
}

const RANDOM_CHARS = 16;
const TIME_CHARS = 10;
const MS_DRAWN = 64;

/** Crockford's base 32, in which the chars of a ULID are written. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Issues ULIDs: 48 bits of milliseconds, 80 random bits that count up within one millisecond. */
export class IdSource {
  readonly #clock: Clock;
  /** Random bytes for many milliseconds, since drawing few takes as long as drawing many. */
  readonly #drawn = new Uint8Array(RANDOM_CHARS * MS_DRAWN);
  #used = RANDOM_CHARS * MS_DRAWN;
  #ms = -1;
  /** The last id without its last char, and that char's digit: most ids differ from the one before in that alone. */
  #stem = '';
  #digit = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    const now = this.#clock.now();
    if (now > this.#ms) this.#begin(Math.max(0, now));
    else if (this.#digit < DIGITS.length - 1) this.#digit++;
    else {
      this.#stem = this.#stem.slice(0, TIME_CHARS) + incrementBase32(this.#stem.slice(TIME_CHARS));
      this.#digit = 0;
    }
    return this.#stem + DIGITS[this.#digit];
  }

  /** The first random char is below 16: room above it, so that counting up cannot overflow. */
  #begin(ms: number): void {
    if (this.#used === this.#drawn.length) {
      randomFillSync(this.#drawn);
      this.#used = 0;
    }
    let id = encodeTime(ms) + DIGITS[this.#drawn[this.#used]! >> 4];
    for (let i = 1; i < RANDOM_CHARS; i++) id += DIGITS[this.#drawn[this.#used + i]! >> 3];
    this.#used += RANDOM_CHARS;
    this.#ms = ms;
    this.#stem = id.slice(0, -1);
    this.#digit = DIGITS.indexOf(id.at(-1)!);
  }
}

/** ULIDs, upper case, monotonic within the actor that issues them, also when the clock steps back (docs/contract/common.md §2.1). */
import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isUlid(text: string): boolean {
  return PATTERN.test(text);
}

const VALUES = new Uint8Array(128);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;
/** A method of Buffer that its types leave out: no encoding argument to look up. */
const packed = Buffer.alloc(16) as Buffer & { latin1Slice(from: number, to: number): string };

/** The 128 bits of a valid ULID as 16 latin1 chars, which order as the text does. */
export function ulidBytes(text: string): string {
  let bits = 0;
  let count = -2; // 26 chars carry 130 bits: the first two are always zero
  let at = 0;
  for (let i = 0; i < 26; i++) {
    bits = ((bits << 5) | VALUES[text.charCodeAt(i)]!) & 0xffff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    packed[at++] = bits >>> count;
  }
  return packed.latin1Slice(0, 16);
}

/** The milliseconds since the epoch in a ULID's first ten chars; NaN where the text is no ULID. */
export function ulidMs(text: string): number {
  if (!isUlid(text)) return Number.NaN;
  let ms = 0;
  for (let i = 0; i < 10; i++) ms = ms * 32 + VALUES[text.charCodeAt(i)]!;
  return ms;
}

/** Issues ULIDs: 48 bits of milliseconds, 80 random bits that count up within one millisecond. */
export class IdSource {
  readonly #clock: Clock;
  readonly #random = new Uint8Array(16);
  #lastMs = -1;
  #time = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    const now = this.#clock.now();
    if (now > this.#lastMs) {
      this.#lastMs = now;
      this.#time = encodeTime(now);
      this.#reseed();
    } else this.#increment();
    let text = this.#time;
    for (let i = 0; i < 16; i++) text += ALPHABET[this.#random[i]!];
    return text;
  }

  #reseed(): void {
    randomFillSync(this.#random);
    for (let i = 0; i < 16; i++) this.#random[i]! &= 31;
    this.#random[0]! &= 15; // head room, so that counting up cannot overflow
  }

  #increment(): void {
    for (let i = 15; i >= 0; i--) {
      if (this.#random[i]! < 31) {
        this.#random[i]!++;
        return;
      }
      this.#random[i] = 0;
    }
  }
}

function encodeTime(ms: number): string {
  let text = '';
  for (let i = 0; i < 10; i++) {
    text = ALPHABET[ms % 32]! + text;
    ms = Math.floor(ms / 32);
  }
  return text;
}

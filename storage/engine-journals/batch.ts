/** Records that leave together, cut into pieces that entries of a log take. */
import type { BodyKind } from './body.ts';

export interface Piece {
  readonly kind: BodyKind;
  readonly bytes: Uint8Array;
  /** Number of the first record of which something is in it. */
  readonly first: number;
  /** All records up to this number are in this piece and those before it. */
  readonly last: number;
}

export class Batch {
  readonly #bytes: Buffer;
  readonly #ends: readonly number[];
  readonly #first: number;
  #at = 0;
  /** Records that were given wholly. */
  #given = 0;

  /** `ends`: where each record ends in `bytes`, of which the first has the number `first`. */
  constructor(bytes: Buffer, ends: readonly number[], first: number) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#first = first;
  }

  /** Bytes that are left to give. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next piece, of at most `bytesMax` bytes. There must be something left. */
  next(bytesMax: number): Piece {
    const from = this.#at;
    const first = this.#first + this.#given;
    const isWithin = from > (this.#ends[this.#given - 1] ?? 0);
    if (isWithin || this.#ends[this.#given]! - from > bytesMax) return this.#part(first, bytesMax);
    while (this.#given < this.#ends.length && this.#ends[this.#given]! - from <= bytesMax)
      this.#at = this.#ends[this.#given++]!;
    return { kind: 'records', bytes: this.#bytes.subarray(from, this.#at), first, last: this.#first + this.#given - 1 };
  }

  #part(first: number, bytesMax: number): Piece {
    const from = this.#at;
    const end = this.#ends[this.#given]!;
    this.#at = Math.min(from + bytesMax, end);
    const bytes = this.#bytes.subarray(from, this.#at);
    if (this.#at < end) return { kind: 'part', bytes, first, last: first - 1 };
    this.#given++;
    return { kind: 'last part', bytes, first, last: first };
  }
}

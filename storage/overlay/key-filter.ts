/**
 * Which keys may be among many: of those that are not, a few in a hundred pass. A generation with fifty blocks of an import would look each key up in as many maps without it, which took a
 * quarter of the import's time.
 */
const BITS = 1 << 16;

export class KeyFilter {
  readonly #words = new Uint32Array(BITS / 32);

  /** By the key's hash (key-map.ts). */
  add(hash: number): void {
    const bit = bitOf(hash);
    this.#words[bit >>> 5]! |= 1 << (bit & 31);
  }

  mayHave(hash: number): boolean {
    const bit = bitOf(hash);
    return (this.#words[bit >>> 5]! & (1 << (bit & 31))) !== 0;
  }
}

/** Of other bits than the map's place, so that the keys of one place do not share one bit. */
const bitOf = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) >>> 16;

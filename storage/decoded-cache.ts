/**
 * Decoded values of keys at rest in LMDB, so that a hot row is neither copied, checked nor decoded again. Two generations:
 * entries enter the young one; when it is full the old one is dropped and the young one grows old; a hit in the old one moves up.
 *
 * Why it never shows an old value: an entry is made only from LMDB while no pending write holds its key, and is forgotten in
 * the same turn in which a write of its key joins the overlay; the overlay keeps that write until LMDB has it.
 */
import type { Bytes } from './port.ts';

export class DecodedCache {
  readonly #halfMax: number;
  #young = new Map<Bytes, unknown>();
  #old = new Map<Bytes, unknown>();

  /** Holds at most `entriesMax` entries. */
  constructor(entriesMax: number) {
    this.#halfMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  get(key: Bytes): unknown {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Bytes, value: unknown): void {
    if (this.#young.size >= this.#halfMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Overwritten with nothing instead of deleted: delete-and-set on a hot key costs 12–31 µs. */
  forget(key: Bytes): void {
    if (this.#young.has(key)) this.#young.set(key, undefined);
    if (this.#old.has(key)) this.#old.set(key, undefined);
  }
}

/** What a simulated environment holds: keys in order, with their values. */
import type { Bytes, Entry } from '#storage/port.ts';

export class Cells {
  #keys: Bytes[];
  readonly #values: Map<Bytes, Uint8Array>;

  constructor(keys: readonly Bytes[] = [], values: ReadonlyMap<Bytes, Uint8Array> = new Map()) {
    this.#keys = [...keys];
    this.#values = new Map(values);
  }

  copy(): Cells {
    return new Cells(this.#keys, this.#values);
  }

  get size(): number {
    return this.#keys.length;
  }

  get(key: Bytes): Uint8Array | undefined {
    return this.#values.get(key);
  }

  *range(from: Bytes, to: Bytes, reverse: boolean): Generator<Entry> {
    const found = this.#keys.filter((key) => key >= from && key < to);
    for (const key of reverse ? found.toReversed() : found) yield { key, value: this.#values.get(key)! };
  }

  /** All of them at once. */
  apply(writes: readonly (readonly [key: Bytes, value: Uint8Array | null])[]): void {
    for (const [key, value] of writes) {
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, Uint8Array.from(value));
    }
    this.#keys = [...this.#values.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }
}

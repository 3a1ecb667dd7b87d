/** A store over a plain sorted array: the model that tests compare the real one with, and the archive of behaviour tests. */
import type { Bytes, Entry, Reader, Snapshot, Store, Turn } from './port.ts';

interface Cells {
  readonly keys: Bytes[];
  readonly values: Map<Bytes, Uint8Array>;
}

function lowerBound(keys: readonly Bytes[], key: Bytes): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

class MemoryReader implements Reader {
  protected readonly cells: Cells;

  constructor(cells: Cells) {
    this.cells = cells;
  }

  get(key: Bytes): Uint8Array | undefined {
    return this.cells.values.get(key);
  }

  *range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    const keys = this.cells.keys.slice(lowerBound(this.cells.keys, from), lowerBound(this.cells.keys, to));
    if (reverse) keys.reverse();
    for (const key of keys) yield { key, value: this.cells.values.get(key)! };
  }
}

class MemoryTurn extends MemoryReader implements Turn {
  readonly #store: MemoryStore;
  readonly #touched = new Map<Bytes, Uint8Array | null>();
  newest = 0;

  constructor(store: MemoryStore, cells: Cells) {
    super(cells);
    this.#store = store;
  }

  get dirty(): boolean {
    return this.#touched.size > 0;
  }

  put(key: Bytes, value: Uint8Array): void {
    this.#touched.set(key, value);
    set(this.cells, key, value);
  }

  del(key: Bytes): void {
    this.#touched.set(key, null);
    set(this.cells, key, null);
  }

  commit(): void {
    this.newest = this.#store.join(this.#touched);
    this.#touched.clear();
  }

  abort(): void {
    this.#touched.clear();
  }
}

function set(cells: Cells, key: Bytes, value: Uint8Array | null): void {
  const at = lowerBound(cells.keys, key);
  const present = cells.keys[at] === key;
  if (value === null) {
    if (present) cells.keys.splice(at, 1);
    cells.values.delete(key);
  } else {
    if (!present) cells.keys.splice(at, 0, key);
    cells.values.set(key, value);
  }
}

const copy = (cells: Cells): Cells => ({ keys: [...cells.keys], values: new Map(cells.values) });

export class MemoryStore implements Store {
  readonly #cells: Cells = { keys: [], values: new Map() };
  #number = 0;

  begin(): Turn {
    return new MemoryTurn(this, copy(this.#cells));
  }

  snapshot(): Snapshot {
    const reader = new MemoryReader(copy(this.#cells));
    return Object.assign(reader, { newest: this.#number, close: () => undefined });
  }

  whenDurable(_newest: number, then: () => void): void {
    then();
  }

  join(touched: ReadonlyMap<Bytes, Uint8Array | null>): number {
    for (const [key, value] of touched) set(this.#cells, key, value);
    return ++this.#number;
  }
}

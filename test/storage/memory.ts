/** A store over a plain sorted array: the model that tests compare the real one with, and the archive of behaviour tests. */
import type { Bytes, Entry, Reader, Snapshot, Store, Turn } from '#storage/port.ts';

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
  protected cells: Cells;

  constructor(cells: Cells) {
    this.cells = cells;
  }

  get(key: Bytes): Uint8Array | undefined {
    return this.cells.values.get(key);
  }

  decoded<T extends object>(key: Bytes, decode: (value: Uint8Array) => T): T | undefined {
    const value = this.get(key);
    return value === undefined ? undefined : decode(value);
  }

  *range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    const { keys, values } = this.cells;
    const found = keys.slice(lowerBound(keys, from), lowerBound(keys, to));
    const entries = found.map((key) => ({ key, value: values.get(key)! }));
    yield* reverse ? entries.toReversed() : entries;
  }
}

/** Reads the store's own cells until the first write, then a copy with the staged writes in it. */
class MemoryTurn extends MemoryReader implements Turn {
  readonly #store: MemoryStore;
  readonly #base: Cells;
  readonly #touched = new Map<Bytes, Uint8Array | null>();
  newest = 0;
  owner: object | null = null;
  frees = false;

  constructor(store: MemoryStore, base: Cells) {
    super(base);
    this.#store = store;
    this.#base = base;
  }

  get dirty(): boolean {
    return this.#touched.size > 0;
  }

  put(key: Bytes, value: Uint8Array): void {
    this.#stage(key, value);
  }

  del(key: Bytes): void {
    this.#stage(key, null);
  }

  #stage(key: Bytes, value: Uint8Array | null): void {
    if (!this.dirty) this.cells = copy(this.#base);
    this.#touched.set(key, value);
    set(this.cells, key, value);
  }

  *prepare(): Generator<void, void, void> {
    // A map needs no preparation.
  }

  commit(): void {
    if (!this.dirty) return;
    this.newest = this.#store.join(this.#touched);
    this.abort();
  }

  abort(): void {
    this.#touched.clear();
    this.cells = this.#base;
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
  pressure = 0;
  readonly #cells: Cells = { keys: [], values: new Map() };
  #number = 0;

  begin(): Turn {
    return new MemoryTurn(this, this.#cells);
  }

  snapshot(): Snapshot {
    const reader = new MemoryReader(copy(this.#cells));
    return Object.assign(reader, { newest: this.#number, close: () => undefined });
  }

  whenDurable(_newest: number, then: () => void): void {
    then();
  }

  prewarm(_signal: AbortSignal): Promise<void> {
    return Promise.resolve();
  }

  join(touched: ReadonlyMap<Bytes, Uint8Array | null>): number {
    for (const [key, value] of touched) set(this.#cells, key, value);
    return ++this.#number;
  }
}

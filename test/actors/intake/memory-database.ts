/** A database in memory that commits when it is told to, and knows what a crash would leave: whole commits only. */
import type { Database } from '#actors/intake/embedded/store.ts';
import type { Entry } from '#storage/port.ts';

export class MemoryDatabase implements Database {
  readonly #cells: Map<string, Uint8Array>;
  /** Called before a commit is durable; may wait or reject. */
  before: () => Promise<void> = () => Promise.resolve();
  /** Called when a commit is durable, before any answer says so. */
  after: () => void = () => undefined;
  commits = 0;
  #busy = false;

  constructor(cells: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#cells = new Map(cells);
  }

  get(key: string): Uint8Array | undefined {
    return this.#cells.get(key);
  }

  *range(from: string, to: string, reverse = false): IterableIterator<Entry> {
    const keys = [...this.#cells.keys()].filter((key) => key >= from && key < to).sort();
    if (reverse) keys.reverse();
    for (const key of keys) yield { key, value: this.#cells.get(key)! };
  }

  async commit(writes: readonly (readonly [string, Uint8Array | null])[]): Promise<void> {
    if (this.#busy) throw new Error('one commit at a time');
    this.#busy = true;
    try {
      await this.before();
    } finally {
      this.#busy = false;
    }
    for (const [key, value] of writes) {
      if (value === null) this.#cells.delete(key);
      else this.#cells.set(key, value);
    }
    this.commits++;
    this.after();
  }

  copyTo(): Promise<void> {
    throw new Error('a memory has no files');
  }

  async close(): Promise<void> {}

  /** The database after a crash now. */
  crash(): MemoryDatabase {
    return new MemoryDatabase(this.#cells);
  }
}

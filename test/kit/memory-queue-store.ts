/** Entries of an offline queue in memory: what outlives a page of the tests. A tab of it can crash, after which nothing of that tab goes on. */
import type { QueueStore } from '#client/index.ts';
import { isFull, type Entry } from '#client/queue-entry.ts';

export class MemoryQueueStore {
  readonly #entries = new Map<number, Entry>();
  #number = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** The store as one tab has it. */
  tab(): QueueStore & { crash(): void } {
    let isDead = false;
    /** As a step of IndexedDB: later, and whole. */
    const step = async <T>(work: () => T): Promise<T> => {
      await Promise.resolve();
      if (isDead) await new Promise<never>(() => undefined);
      const result = work();
      await Promise.resolve();
      return isDead ? new Promise<never>(() => undefined) : result;
    };
    const of = (owner: string): Entry[] => [...this.#entries.values()].filter((entry) => entry.owner === owner);
    return {
      crash: () => (isDead = true),
      add: (entry, bounds) =>
        step(() => {
          if (isFull(of(entry.owner), entry, bounds)) return null;
          this.#entries.set(++this.#number, structuredClone({ ...entry, number: this.#number }));
          return this.#number;
        }),
      all: (owner) => step(() => structuredClone(of(owner))),
      put: (entry) =>
        step(() => {
          if (!this.#entries.has(entry.number)) return false;
          this.#entries.set(entry.number, structuredClone(entry));
          return true;
        }),
      remove: ({ number }) => step(() => void this.#entries.delete(number)),
    };
  }
}

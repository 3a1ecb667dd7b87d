/**
 * In the place of Atomics: before each step at the memory that is watched, another thread may have its turn, or the thread ends. So orders of steps come up in
 * one thread as they do in many; a thread that is interrupted goes on when the others have ended what they do.
 */
const real = Atomics;

export interface Watcher {
  readonly buffer: SharedArrayBuffer;
  /** Ahead of each step; throws where the thread ends here. */
  before(isChange: boolean): void;
  /** Something was added to a word. */
  added(index: number): void;
  /** A word or a cell was exchanged. */
  exchanged(index: number, next: number | bigint): void;
}

let watcher: Watcher | null = null;

type Words = Int32Array | BigInt64Array;

const watched = ({ buffer }: Words): Watcher | null => (watcher !== null && buffer === watcher.buffer ? watcher : null);

const ours = Object.assign(Object.create(real) as typeof Atomics, {
  load(words: Int32Array, index: number): number {
    watched(words)?.before(false);
    return real.load(words, index);
  },
  store(words: Int32Array, index: number, value: number): number {
    watched(words)?.before(true);
    return real.store(words, index, value);
  },
  add(words: Int32Array, index: number, value: number): number {
    watched(words)?.before(true);
    const before = real.add(words, index, value);
    watched(words)?.added(index);
    return before;
  },
  sub(words: Int32Array, index: number, value: number): number {
    watched(words)?.before(true);
    return real.sub(words, index, value);
  },
  compareExchange(words: Words, index: number, wanted: never, next: never): number | bigint {
    watched(words)?.before(true);
    const before = (real.compareExchange as (...args: unknown[]) => number | bigint)(words, index, wanted, next);
    if (before === wanted) watched(words)?.exchanged(index, next);
    return before;
  },
});

/** From now on; null for none. */
export function watchAtomics(next: Watcher | null): void {
  globalThis.Atomics = ours;
  watcher = next;
}

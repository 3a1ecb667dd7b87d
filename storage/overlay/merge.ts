/** One scan over staged writes, the overlay and LMDB. Of several entries under a key the one of the youngest source counts; a tombstone hides the key. */
import type { Bytes, Entry } from '../port.ts';
import type { Cell } from './cell.ts';
import type { Walk } from './walk.ts';

/** Learns the newest journal number that a scan came across, tombstones and overwritten entries included. */
export interface ReadObserver {
  see(number: number): void;
}

export interface MergeSources {
  /** Walks of the pending writes, youngest first: a turn's staged ones, then the overlay's generations. */
  readonly walks: readonly Walk[];
  readonly base: IterableIterator<Entry>;
  readonly reverse: boolean;
  /** Bytes of the store's prefix, taken off the keys. */
  readonly prefixBytes: number;
  readonly observer: ReadObserver;
  readonly onEnd?: () => void;
}

const END: IteratorResult<Entry> = { done: true, value: undefined };

export class Merge implements IterableIterator<Entry> {
  readonly #sources: MergeSources;
  #base: Entry | undefined;
  #begun = false;
  #ended = false;
  #failure: Error | null = null;

  constructor(sources: MergeSources) {
    this.#sources = sources;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Entry> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#ended) return END;
    if (!this.#begun) this.#begin();
    for (;;) {
      const key = this.#least();
      if (key === undefined) return this.return();
      const value = this.#take(key);
      if (value !== null) return { done: false, value: { key: key.slice(this.#sources.prefixBytes), value } };
    }
  }

  #begin(): void {
    this.#begun = true;
    this.#advanceBase();
  }

  #advanceBase(): void {
    const step = this.#sources.base.next();
    this.#base = step.done === true ? undefined : step.value;
  }

  /** The key that comes next in any source. */
  #least(): Bytes | undefined {
    let least = this.#base?.key;
    for (const { current } of this.#sources.walks) least = this.#sooner(least, current?.key);
    return least;
  }

  #sooner(a: Bytes | undefined, b: Bytes | undefined): Bytes | undefined {
    if (a === undefined) return b;
    if (b === undefined) return a;
    return a < b !== this.#sources.reverse ? a : b;
  }

  /** Steps over the key in every source that has it; gives the youngest value, null for a tombstone. */
  #take(key: Bytes): Uint8Array | null {
    const { walks, observer } = this.#sources;
    let value: Uint8Array | null = null;
    if (this.#base?.key === key) {
      ({ value } = this.#base);
      this.#advanceBase();
    }
    for (let i = walks.length - 1; i >= 0; i--) {
      const pending = stepOver(walks[i]!, key);
      if (pending === undefined) continue;
      observer.see(pending.number);
      ({ value } = pending);
    }
    return value;
  }

  /** Ends the scan from outside; its next step throws, because a scan that was cut short must not look complete. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.#failure = error;
    this.return();
  }

  return(): IteratorResult<Entry> {
    if (this.#ended) return END;
    this.#ended = true;
    this.#sources.base.return?.();
    this.#sources.onEnd?.();
    return END;
  }
}

function stepOver(walk: Walk, key: Bytes): Cell | undefined {
  const cell = walk.current;
  if (cell === undefined || cell.key !== key) return undefined;
  walk.advance();
  return cell;
}

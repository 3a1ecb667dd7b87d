/**
 * One scrubbing step at a time in the whole process: LMDB may end the process within a step, and then the mark of one shard alone says `reading`.
 * Without it a shard that another thread happened to read would be named as well.
 */
import { limits } from '#config/limits.ts';

const FREE = 0;
const TAKEN = 1;

export type ReadingCell = Int32Array<SharedArrayBuffer>;

export function createReadingCell(): ReadingCell {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export class ReadingTurn {
  readonly #cell: ReadingCell;
  readonly #sleep: (ms: number) => Promise<void>;

  constructor(cell: ReadingCell, sleep: (ms: number) => Promise<void>) {
    this.#cell = cell;
    this.#sleep = sleep;
  }

  /** Resolves when no other thread reads. A thread that was ended within its step never gives its turn back, so the wait has a bound. */
  async take(): Promise<void> {
    const { turnLookMs, turnMsMax } = limits.scrub;
    for (let waited = 0; waited < turnMsMax; waited += turnLookMs) {
      if (Atomics.compareExchange(this.#cell, 0, FREE, TAKEN) === FREE) return;
      await this.#sleep(turnLookMs);
    }
  }

  give(): void {
    Atomics.store(this.#cell, 0, FREE);
  }
}

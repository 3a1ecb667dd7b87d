/** Both ends of the guard that keeps a worker from being terminated while it loads native code (storage/libc.ts), over one shared cell. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadGuard } from '#storage/libc.ts';

const FREE = 0;
const LOADING = 1;
const ENDING = 2;

/** A load takes 6 ms, and some hundred on a busy machine. A thread that still loads after this time waits for a disk and is ended all the same. */
const LONGEST_LOAD_MS = 2000;
const LOOK_EVERY_MS = 1;

export type LoadCell = Int32Array<SharedArrayBuffer>;

export function createLoadCell(): LoadCell {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** The worker's end. Loads of one thread may overlap: the cell is free again after the last. */
export function loadGuardOf(cell: LoadCell): LoadGuard {
  let loads = 0;
  return {
    begin: () => {
      if (loads === 0 && Atomics.compareExchange(cell, 0, FREE, LOADING) === ENDING) return false;
      loads += 1;
      return true;
    },
    end: () => {
      loads -= 1;
      if (loads === 0) Atomics.store(cell, 0, FREE);
    },
  };
}

/** Main's end: once this resolves the worker loads nothing, begins to load nothing more, and may be terminated. */
export async function claimEnd(cell: LoadCell): Promise<void> {
  for (let waited = 0; waited < LONGEST_LOAD_MS; waited += LOOK_EVERY_MS) {
    if (Atomics.compareExchange(cell, 0, FREE, ENDING) !== LOADING) return;
    await sleep(LOOK_EVERY_MS);
  }
}

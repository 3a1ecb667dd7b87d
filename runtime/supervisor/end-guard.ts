/**
 * Both ends of the guard that keeps a worker from being terminated inside native code that would abort the process (storage/native-guard.ts), over one
 * shared pair of cells.
 *
 * The worker enters native code some hundred thousand times a second, so its end is two plain accesses without a fence: it says that it is inside, then
 * looks whether its end was claimed. Main claims the end first and looks a millisecond later, long after a store of the worker has become visible: a worker
 * that saw no claim is then seen inside, and one that enters later sees the claim.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeGuard } from '#storage/native-guard.ts';

const INSIDE = 0;
const CLAIMED = 1;

/** A load of native code takes 6 ms, and some hundred on a busy machine. A thread that is still inside after this time waits for a disk and is ended all the same. */
const LONGEST_MS = 2000;
const LOOK_EVERY_MS = 1;

export type EndCells = Int32Array<SharedArrayBuffer>;

export function createEndCells(): EndCells {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** The worker's end. Native sections of one thread may overlap: it is outside again after the last. */
export function nativeGuardOf(cells: EndCells): NativeGuard {
  let sections = 0;
  return {
    begin: () => {
      cells[INSIDE] = 1;
      if (sections === 0 && cells[CLAIMED] !== 0) {
        cells[INSIDE] = 0;
        return false;
      }
      sections += 1;
      return true;
    },
    end: () => {
      sections -= 1;
      if (sections === 0) cells[INSIDE] = 0;
    },
  };
}

/** Main's end: once this resolves the worker is outside native code, does not enter it any more, and may be terminated. */
export async function claimEnd(cells: EndCells): Promise<void> {
  Atomics.store(cells, CLAIMED, 1);
  for (let waited = 0; waited < LONGEST_MS; waited += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
    if (Atomics.load(cells, INSIDE) === 0) return;
  }
}

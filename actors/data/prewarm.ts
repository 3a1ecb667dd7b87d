/** Brings what long work will read from the disk into memory. */
import { setTimeout } from 'node:timers/promises';
import type { Work } from '#actors/host/work.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { limits } from '#config/limits.ts';

/** Runs work that reads very many rows, while other threads read what of them lies on the disk into memory, beforehand and meanwhile. */
export async function prewarmed<T>(work: Work, tables: readonly number[], run: () => Promise<T>): Promise<T> {
  if (rowsOf(work, tables) < limits.data.prewarmRowsMin) return run();
  const ended = new AbortController();
  work.activation.exclusive.onClose(() => ended.abort());
  try {
    const waited = setTimeout(limits.data.prewarmWaitMsMax, undefined, { ref: false });
    await Promise.race([work.activation.store.prewarm(ended.signal), waited]);
    return await run();
  } finally {
    ended.abort();
  }
}

function rowsOf({ activation }: Work, tables: readonly number[]): number {
  const turn = activation.store.begin();
  const counts = tables.map((table) => rowCount(turn, table));
  turn.abort();
  return counts.reduce((sum, { live, deleted }) => sum + live + deleted, 0);
}

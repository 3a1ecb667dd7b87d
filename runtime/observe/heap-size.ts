/** Keeps the size of a thread's heap in the metric table. */
import { getHeapStatistics } from 'node:v8';
import type { Meter } from './meter.ts';
import { cellOf } from './metric-table.ts';

const EVERY_MS = 5000;

/** Starts watching; the timer does not keep the thread alive. Gives the function that stops it. */
export function watchHeap(meter: Meter, everyMs = EVERY_MS): () => void {
  const cell = cellOf('heapBytes');
  const look = (): void => meter.set(cell, getHeapStatistics().used_heap_size);
  look();
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}

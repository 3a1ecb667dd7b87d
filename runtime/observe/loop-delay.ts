/** Keeps a thread's event-loop delay in the metric table. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from './meter.ts';
import { cellOf } from './metric-table.ts';

const EVERY_MS = 5000;

/** Starts watching; the timer does not keep the thread alive. Gives the function that stops it. */
export function watchLoopDelay(meter: Meter, everyMs = EVERY_MS): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  const cell = cellOf('loopDelay');
  delay.enable();
  const timer = setInterval(() => {
    if (delay.count > 0) meter.set(cell, delay.percentile(99) / 1e9);
    delay.reset();
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    delay.disable();
  };
}

/** A thread that counts, watches its loop until the first figure is there, and ends. */
import { workerData } from 'node:worker_threads';
import { watchLoopDelay } from '#runtime/observe/loop-delay.ts';
import { Meter, requestCells, statusClass } from '#runtime/observe/meter.ts';
import { cellOf, COLUMN_CELLS } from '#runtime/observe/metric-table.ts';

const { table, column } = workerData as { table: SharedArrayBuffer; column: number };
const meter = new Meter(table, column);
for (let i = 0; i < 1000; i++) meter.add(requestCells('data') + statusClass(200));
meter.set(cellOf('overlayEntries'), 12);
const stop = watchLoopDelay(meter, 100);
const values = new Float64Array(table);
const timer = setInterval(() => {
  if (values[column * COLUMN_CELLS + cellOf('loopDelay')] === 0) return;
  clearInterval(timer);
  stop();
}, 5);

/** Loads functions of the C library one after the other until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadGuardOf } from '#runtime/supervisor/load-guard.ts';
import type { LoadCell } from '#runtime/supervisor/load-guard.ts';
import { guardLoads, loadC } from '#storage/libc.ts';

guardLoads(loadGuardOf((workerData as { loads: LoadCell }).loads));
parentPort!.postMessage('up');
for (;;) await loadC('int getpid()');

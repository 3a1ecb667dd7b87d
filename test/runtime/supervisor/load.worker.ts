/** Loads functions of the C library one after the other until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { nativeGuardOf, type EndCells } from '#runtime/supervisor/end-guard.ts';
import { loadC } from '#storage/libc.ts';
import { guardNative } from '#storage/native-guard.ts';

guardNative(nativeGuardOf((workerData as { cells: EndCells }).cells));
parentPort!.postMessage('up');
for (;;) await loadC('int getpid()');

/** Begins a batch of many writes and is ended in the middle of it. */
import { parentPort, workerData } from 'node:worker_threads';
import { openEnvironment, type Write } from '#storage/environment.ts';

const environment = openEnvironment(workerData as string, { onFatal: () => undefined });
const value = Buffer.alloc(100);
const half: Write[] = Array.from({ length: 200_000 }, (_, i) => [`k${i}`, value]);
// The check before the replay reads every key once, the replay reads it again: half way through it says so and goes on.
let reads = 0;
const signal: Write = Object.defineProperty(['signal', value], 0, {
  get: () => {
    if (++reads === 2) parentPort!.postMessage('half way');
    return 'signal';
  },
}) as unknown as Write;
await environment.commit([...half, signal, ...half]);

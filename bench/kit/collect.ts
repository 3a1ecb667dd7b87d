/** The memory of a process after its garbage is collected, that of its threads too. */
import { readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';

/** To be called before threads start; the result collects, and gives the resident bytes then. */
export function collector(): () => Promise<number> {
  const threads = new Set<Worker>();
  process.on('worker', (thread) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return async () => {
    for (const thread of threads) await collectIn(thread);
    collect();
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024;
  };
}

/** A snapshot of its heap collects a thread's garbage first; the snapshot itself is discarded. */
async function collectIn(thread: Worker): Promise<void> {
  try {
    const snapshot = await thread.getHeapSnapshot();
    snapshot.resume();
    await finished(snapshot);
  } catch {
    // The thread has ended.
  }
}

/** The memory of a process after its garbage is collected, that of its threads too. */
import { readFileSync } from 'node:fs';
import { BroadcastChannel, type Worker } from 'node:worker_threads';
import { COLLECT, garbageCollector } from './collect-here.ts';

/** What such a process is started with (`fork`), so that its threads collect, too. */
export const COLLECTING = ['--import', new URL('./collect-here.ts', import.meta.url).href] as const;

/** A thread that answers later than that is at work, or ends. */
const WAIT_MS = 5000;

/**
 * To be called before threads start; the result collects, and gives the resident bytes then. It takes no snapshots of heaps, which would collect as well:
 * their memory stays with the process, and is more the larger a heap is.
 */
export function collector(): () => Promise<number> {
  const threads = new Set<number>();
  process.on('worker', (thread: Worker) => {
    const { threadId } = thread;
    threads.add(threadId);
    thread.once('exit', () => threads.delete(threadId));
  });
  const collect = garbageCollector();
  return async () => {
    await collectIn(threads);
    collect();
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024;
  };
}

async function collectIn(threads: ReadonlySet<number>): Promise<void> {
  const left = new Set(threads);
  const channel = new BroadcastChannel(COLLECT);
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, WAIT_MS);
    channel.addEventListener('message', (event) => {
      const { data } = event as MessageEvent;
      left.delete(data as number);
      if (left.size > 0) return;
      clearTimeout(late);
      resolve();
    });
    channel.postMessage(null);
  });
  channel.close();
}

/** Loaded by each thread of a node whose memory is measured (`--import`): collects the thread's garbage when it is asked to (collect.ts). */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

/** Main asks with null; a thread answers with its number. */
export const COLLECT = 'collect garbage';

export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

if (!isMainThread) {
  const collect = garbageCollector();
  const channel = new BroadcastChannel(COLLECT);
  channel.addEventListener('message', (event) => {
    const { data } = event as MessageEvent;
    if (data !== null) return;
    collect();
    channel.postMessage(threadId);
  });
  channel.unref();
}

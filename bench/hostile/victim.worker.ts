/** The neighbour's own thread: what the attacker's side of the bench does with its answers must not look like a wait for the node. */
import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as wait } from 'node:timers/promises';
import type { Place } from './send.ts';
import type { Watched } from './victim.ts';

const EVERY_MS = 20;
const { gateway, headers, path } = workerData as Place & { readonly path: string };
const port = parentPort!;

/** Reads until the parent's `stop`. A request that is due while others wait is sent all the same. */
async function watched(stopped: Promise<void>): Promise<Watched> {
  const seen = { longestMs: 0, answers: 0, refused: 0 };
  const state = { going: true };
  const ended = stopped.then(() => (state.going = false));
  const waiting = new Set<Promise<void>>();
  const read = async (due: number): Promise<void> => {
    const status = await fetch(gateway + path, { headers }).then(
      async (answer) => (await answer.arrayBuffer(), answer.status),
      () => 0,
    );
    seen.answers++;
    if (status !== 200) seen.refused++;
    seen.longestMs = Math.max(seen.longestMs, performance.now() - due);
  };
  for (let due = performance.now(); state.going; due += EVERY_MS) {
    const early = due - performance.now();
    if (early > 0) await Promise.race([wait(early), ended]);
    const one = read(Math.max(due, performance.now() - EVERY_MS)).finally(() => waiting.delete(one));
    waiting.add(one);
  }
  await Promise.all(waiting);
  return seen;
}

port.on('message', (said: 'watch' | 'stop') => {
  if (said !== 'watch') return;
  const stopped = new Promise<void>((resolve) => {
    port.once('message', () => resolve());
  });
  void watched(stopped).then((seen) => port.postMessage(seen));
});
port.postMessage('ready');

/** What a job thread takes first: the pool takes each result for that of the oldest job it handed over. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { CELLS, HANDED, RUNNING } from '#runtime/jobs/messages.ts';
import type { BeginMessage, JobThreadData, ThreadMessage } from '#runtime/jobs/messages.ts';

const LONG = '[range(3000000)] | length';
const JOBS = 4;

test('jobs that came while one was loading run before those that came while it ran', async () => {
  const { port1: line, port2 } = new MessageChannel();
  const cells = new Int32Array(new SharedArrayBuffer(4 * (CELLS + JOBS)));
  const began = new BigInt64Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('../../../runtime/jobs/language.job.ts', import.meta.url), {
    workerData: { line: port2, cells, began } satisfies JobThreadData,
    transferList: [port2],
  });
  onTestFinished(async () => void (await worker.terminate()));
  const hand = (no: number, source: string): void => {
    Atomics.store(cells, HANDED + no, no);
    const message: BeginMessage = { no, slot: no, kind: 'jq.run', body: { source, text: '1', fast: false } };
    worker.postMessage(message);
  };
  const ended: number[] = [];
  const allEnded = new Promise<void>((resolve) =>
    line.on('message', ({ no }: ThreadMessage) => {
      if (ended.push(no) === JOBS) resolve();
    }),
  );
  await new Promise((resolve) => worker.once('online', resolve));
  hand(1, LONG);
  hand(2, '.');
  while (Atomics.load(cells, RUNNING) !== 1) await new Promise((resolve) => setTimeout(resolve, 1));
  // The thread computes: these two lie on its port when it looks there next.
  hand(3, '.');
  hand(4, '.');
  await allEnded;
  expect(ended).toEqual([1, 2, 3, 4]);
});

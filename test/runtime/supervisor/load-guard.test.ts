/** A worker that is terminated while it loads native code takes the whole process along; the guard keeps the end off for so long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { claimEnd, createLoadCell, loadGuardOf } from '#runtime/supervisor/load-guard.ts';

test('a worker that loads native code all the time is ended, and the process lives', async () => {
  for (let round = 0; round < 20; round++) {
    const loads = createLoadCell();
    const worker = new Worker(new URL('./load.worker.ts', import.meta.url), { workerData: { loads } });
    await new Promise((up) => worker.once('message', up));
    await sleep(round);
    await claimEnd(loads);
    await worker.terminate();
  }
});

test('an end waits for the last of the loads that overlap', async () => {
  const loads = createLoadCell();
  const guard = loadGuardOf(loads);
  const steps: string[] = [];
  guard.begin();
  guard.begin();
  const ended = claimEnd(loads).then(() => steps.push('ended'));
  guard.end();
  await sleep(10);
  steps.push('one left');
  guard.end();
  await ended;
  expect(steps).toEqual(['one left', 'ended']);
});

test('a thread that is about to be ended begins no load', async () => {
  const loads = createLoadCell();
  const guard = loadGuardOf(loads);
  await claimEnd(loads);
  expect(guard.begin()).toBe(false);
  await claimEnd(loads);
});

test('a load that never ends holds the end off for a while only', async () => {
  const loads = createLoadCell();
  loadGuardOf(loads).begin();
  await claimEnd(loads);
});

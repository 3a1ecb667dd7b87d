/** A worker that is terminated inside some native code takes the whole process along; the guard keeps the end off for so long. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { claimEnd, createEndCells, nativeGuardOf } from '#runtime/supervisor/end-guard.ts';
import { rounds } from '#test/kit/rounds.ts';
import type { Use } from './scan.worker.ts';

const ROUNDS = rounds({ suite: 2, ci: 12 });

async function endInside(file: string, data: object, afterMs: number): Promise<void> {
  const cells = createEndCells();
  const worker = new Worker(new URL(file, import.meta.url), { workerData: { cells, ...data } });
  await new Promise((up, lost) => worker.once('message', up).once('error', lost));
  await sleep(afterMs);
  await claimEnd(cells);
  await worker.terminate();
}

test('a worker that loads native code all the time is ended, and the process lives', async () => {
  for (let round = 0; round < ROUNDS; round++) await endInside('./load.worker.ts', {}, round);
});

test.for<Use>(['scans', 'reads', 'commits'])(
  'a worker whose LMDB does nothing but %s is ended, and the process lives',
  { timeout: 60_000 },
  async (use) => {
    const path = mkdtempSync(join(tmpdir(), 'skep-ended-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    for (let round = 0; round < ROUNDS; round++)
      await endInside('./scan.worker.ts', { use, path: join(path, String(round)) }, round % 4);
  },
);

test('an end waits for the last of the loads that overlap', async () => {
  const cells = createEndCells();
  const guard = nativeGuardOf(cells);
  const steps: string[] = [];
  guard.begin();
  guard.begin();
  const ended = claimEnd(cells).then(() => steps.push('ended'));
  guard.end();
  await sleep(10);
  steps.push('one left');
  guard.end();
  await ended;
  expect(steps).toEqual(['one left', 'ended']);
});

test('a thread that is about to be ended begins no load', async () => {
  const cells = createEndCells();
  const guard = nativeGuardOf(cells);
  await claimEnd(cells);
  expect(guard.begin()).toBe(false);
  await claimEnd(cells);
});

test('a load that never ends holds the end off for a while only', async () => {
  const cells = createEndCells();
  nativeGuardOf(cells).begin();
  await claimEnd(cells);
});

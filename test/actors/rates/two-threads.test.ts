import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { monotonicClock } from '#actors/rates/monotonic-clock.ts';
import { compileProfile } from '#actors/rates/profile.ts';
import { blockOf, createRateTable, ENTRIES, OVERFLOWED } from '#actors/rates/table.ts';
import type { HammerOrder } from './hammer.worker.ts';

interface Hammered {
  readonly granted: number;
  /** Takes that the overflow bucket was asked for: also where the thread that entered a caller was off its core for longer than another waits. */
  readonly overflowed: number;
  readonly entries: number;
}

async function hammer(given: Omit<HammerOrder, 'table' | 'start'>): Promise<Hammered> {
  const profile = compileProfile('hammered', given, given.entriesMax);
  const table = createRateTable({ profiles: [profile], seed: [1, 2] });
  const start = new SharedArrayBuffer(4);
  const workerData: HammerOrder = { ...given, table, start };
  const workers = [1, 2].map(() => new Worker(new URL('hammer.worker.ts', import.meta.url), { workerData }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const results = workers.map((worker) => once(worker, 'message') as Promise<[number]>);
  Atomics.store(new Int32Array(start), 0, 1);
  Atomics.notify(new Int32Array(start), 0);
  const granted = await Promise.all(results);
  await Promise.all(workers.map((worker) => worker.terminate()));
  const words = new Int32Array(table);
  const sum = granted.reduce((total, [count]) => total + count, 0);
  return { granted: sum, overflowed: words[blockOf(0) + OVERFLOWED]!, entries: words[blockOf(0) + ENTRIES]! };
}

const base = { burst: 50_000, perSecond: 1000, entriesMax: 1000, frozenAtMs: 5_000_000, takes: 40_000, callers: 1 };

test('while time stands still two threads get exactly one burst from one bucket', async () => {
  const { granted, overflowed, entries } = await hammer(base);
  expect([granted, entries]).toEqual([50_000 + overflowed, 1]);
});

test('callers that two threads meet for the first time at once get one entry each', async () => {
  const { granted, overflowed, entries } = await hammer({
    ...base,
    burst: 1,
    perSecond: 1,
    takes: 1000,
    callers: 200,
  });
  expect([granted, entries]).toEqual([200 + Math.min(1, overflowed), 200]);
});

test('a full table shares its overflow bucket between threads without granting more', async () => {
  const { granted } = await hammer({ ...base, burst: 3, perSecond: 1, entriesMax: 10, takes: 2000, callers: 200 });
  expect(granted).toBe(11 * 3);
});

test('while time runs no more than burst + rate × time is granted', async () => {
  const startMs = monotonicClock.now();
  const { granted } = await hammer({ ...base, burst: 100, perSecond: 10_000, frozenAtMs: null, takes: 200_000 });
  const elapsedMs = monotonicClock.now() - startMs;
  expect(granted).toBeGreaterThanOrEqual(100);
  expect(granted).toBeLessThanOrEqual(100 + 10 * elapsedMs);
});

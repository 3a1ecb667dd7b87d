/** An answer of the host that comes when its script has given up waiting: no script that runs behind it on the same thread may get it. */
import { setTimeout as passed } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { ScriptJob } from '#actors/kit/jobs.ts';
import { JobPool } from '#runtime/jobs/pool.ts';
import { startJobThread } from '#runtime/jobs/worker-thread.ts';

const BUDGET_MS = 5000;

let pool: JobPool;
afterEach(() => pool.close());

const asking = (timeMsMax: number): ScriptJob => ({
  source: 'return db.get("thing", request);',
  name: 'asking.js',
  request: '"it"',
  functions: ['db.get'],
  memoryBytesMax: limits.scripts.memoryBytesMax,
  timeMsMax,
  nestedMax: 0,
});

const value = (of: string): string => JSON.stringify({ value: of });

test('what was asked for one script is given to no other one', { timeout: 30_000 }, async () => {
  let started = 0;
  pool = new JobPool({
    threads: () => 1,
    start: () => {
      started++;
      return startJobThread(() => undefined);
    },
  });
  const first = await pool.run('script', asking(1000), BUDGET_MS, () => value('first'));
  expect(first).toMatchObject({ kind: 'done', result: { kind: 'value', text: '"first"' } });
  // The host stands still for longer than the script may take, and answers before it sees that the script has ended.
  const late = await pool.run('script', asking(50), BUDGET_MS, () => {
    const end = performance.now() + 300;
    while (performance.now() < end);
    return value('of another tenant');
  });
  expect(late).toMatchObject({
    kind: 'done',
    result: { kind: 'failed', message: 'the script took longer than it may' },
  });
  await passed(20);
  for (const own of ['second', 'third', 'fourth']) {
    const next = await pool.run('script', asking(1000), BUDGET_MS, async () => {
      await passed(5);
      return value(own);
    });
    expect(next).toMatchObject({ kind: 'done', result: { kind: 'value', text: `"${own}"` } });
  }
  expect(started).toBe(1);
});

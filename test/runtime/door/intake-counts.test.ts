import { expect, test } from 'vitest';
import { IntakeCounts } from '#runtime/door/intake-counts.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';

function bench(fails = false): { counts: IntakeCounts; told: unknown[] } {
  const told: unknown[] = [];
  const countIntake = (counts: unknown): Promise<void> => {
    told.push(counts);
    return fails ? Promise.reject(new Error('the writer is gone')) : Promise.resolve();
  };
  return { counts: new IntakeCounts({ countIntake } as unknown as Supervisor), told };
}

test('adds up what the door answered, and tells it once', () => {
  const { counts, told } = bench();
  for (const status of [413, 429, 429, 503, 404, 200]) counts.count(status);
  counts.flush();
  counts.flush();
  expect(told).toEqual([
    [
      ['too_large', 1],
      ['rate_limited', 2],
      ['shedding', 1],
    ],
  ]);
});

test('a writer that is gone loses its counts, and nobody else minds', async () => {
  const { counts, told } = bench(true);
  counts.count(429);
  counts.flush();
  await Promise.resolve();
  counts.count(503);
  counts.flush();
  expect(told).toHaveLength(2);
});

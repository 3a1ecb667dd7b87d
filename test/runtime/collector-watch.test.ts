import { expect, test } from 'vitest';
import { IdleWatch } from '#runtime/collector.ts';

test('a thread settles at the first idle look behind its start, and then once behind each time of work', () => {
  const watch = new IdleWatch();
  const looks = [0.9, 0.3, 0.05, 0.01, 0.02, 0.5, 0.01, 0.2, 0.01, 0.01, 0.01, 0.01];
  const settled = looks.flatMap((utilization, at) => {
    if (!watch.saw(utilization)) return [];
    watch.settled();
    return [at];
  });
  expect(settled).toEqual([2, 9]);
});

test('where it could not settle it is told again', () => {
  const watch = new IdleWatch();
  expect([watch.saw(0), watch.saw(0)]).toEqual([true, true]);
});

test('it is looked at often until it has settled, and seldom from then on', () => {
  const watch = new IdleWatch();
  const first = watch.everyMs;
  watch.settled();
  expect(first).toBeLessThan(watch.everyMs);
  expect(watch.saw(0)).toBe(false);
});

import { expect, test } from 'vitest';
import { parseH2loadLog } from '#bench/kit/h2load.ts';

test('reads statuses, the rate and the times of the good answers', () => {
  const log = '1000\t200\t2000\n1001\t200\t4000\n1002\t503\t100\n1003\t200\t6000\n';
  const { goodPerSecond, p50Ms, statuses } = parseH2loadLog(log, 2);
  expect([goodPerSecond, p50Ms, Object.fromEntries(statuses)]).toEqual([1.5, 4, { 200: 3, 503: 1 }]);
  expect(parseH2loadLog('', 1).goodPerSecond).toBe(0);
});

/** What the operator is told of a database that does not acknowledge. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { DegradedReport } from '#actors/protocol/degraded.ts';
import { LogWatch } from '#runtime/cluster/log-watch.ts';

function watched() {
  const told: (DegradedReport | 'clear')[] = [];
  const synced: number[] = [];
  const clock = { ms: 0 };
  const watch = new LogWatch({
    host: 'host-1',
    database: 'db.internal/log',
    degraded: { report: (entry) => told.push(entry), clear: () => told.push('clear') },
    onSynced: (ms) => synced.push(ms),
    fine: () => clock.ms,
  });
  return { watch, told, synced, clock };
}

test('a call without an outcome is told once, with its reason, and that it is over', () => {
  const { watch, told, synced } = watched();
  watch.sent();
  watch.failed(new Error('connection refused'));
  watch.failed(new Error('connection refused'));
  watch.settled(700);
  watch.sent();
  watch.settled(2);
  expect([told.length, synced]).toEqual([2, [700, 2]]);
  expect(told[0]).toMatchObject({ scope: 'journal', name: 'log of host-1' });
  expect((told[0] as DegradedReport).reason).toContain('db.internal/log does not acknowledge (connection refused)');
  expect(told[1]).toBe('clear');
});

test('another reason takes the place of the one before', () => {
  const { watch, told } = watched();
  watch.failed(new Error('connection refused'));
  watch.failed(new Error('the server is a standby'));
  expect(told.map((entry) => (entry as DegradedReport).reason.includes('standby)'))).toEqual([false, true]);
});

test('a database that is silent is told when a write waits for long, an idle one never', () => {
  const { watch, told, clock } = watched();
  watch.sent();
  clock.ms = limits.storage.logLateMs - 1;
  watch.look();
  expect(told).toEqual([]);
  clock.ms++;
  watch.look();
  watch.look();
  expect((told as DegradedReport[]).map(({ reason }) => reason.includes('takes long'))).toEqual([true]);
  watch.settled(clock.ms);
  clock.ms *= 10;
  watch.look();
  expect(told.slice(1)).toEqual(['clear']);
});

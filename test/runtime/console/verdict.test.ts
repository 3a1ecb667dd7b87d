/** What the console says of a node: pure, so that no node has to be well while a machine is busy. */
import { expect, test } from 'vitest';
import type { Health } from '#console/node/answers.ts';
import { verdictOf } from '#console/operations/verdict.ts';
import { en } from '#console/words/en.ts';

const WELL: Health = {
  ready: true,
  reasons: [],
  version: '0.0.0',
  started_at: '2026-01-01T00:00:00.000Z',
  threads: [{ name: 'host 0', state: 'serving', since: null, restarts: 0, quiet_ms: 0 }],
  spare: true,
  hosts: [],
  journal_copy: null,
  disk: { free_bytes: 2, free_bytes_min: 1 },
  degraded: [],
  degraded_more: 0,
};
const SINCE = '2026-01-01T00:00:01.000Z';

test('a node with nothing amiss is well; one whose disk is not known too', () => {
  expect(verdictOf(WELL, en)).toEqual({ kind: 'well', reasons: [] });
  expect(verdictOf({ ...WELL, disk: { free_bytes: null, free_bytes_min: 1 } }, en).kind).toBe('well');
});

test.each<[Partial<Health>, string, string | null]>([
  [{ threads: [{ ...WELL.threads[0]!, state: 'still', since: SINCE }] }, `host 0: ${en.operations.still}`, SINCE],
  [{ disk: { free_bytes: 0, free_bytes_min: 1 } }, en.operations.diskLow, null],
  [
    { journal_copy: { every_seconds: 60, copied_at: null, failed: 'EIO', gaps: 0 } },
    `${en.operations.copyFailed} EIO`,
    null,
  ],
  [{ degraded: [{ scope: 'tenant', name: 'a', reason: 'b', since: SINCE }] }, 'tenant a: b', SINCE],
  [{ degraded_more: 3 }, `3 ${en.operations.more}`, null],
])('what is less than it should be is named: %j', (change, text, since) => {
  const { kind, reasons } = verdictOf({ ...WELL, ...change }, en);
  expect({ kind, reasons }).toEqual({ kind: 'less', reasons: [{ key: expect.any(String), text, since }] });
});

test('a node that is not ready is down, and says why', () => {
  const { kind, reasons } = verdictOf({ ...WELL, ready: false, reasons: ['no_host'] }, en);
  expect(kind).toBe('down');
  expect(reasons.map(({ text }) => text)).toEqual([en.operations.noHost]);
});

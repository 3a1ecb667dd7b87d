import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { begun, isDone, resumed, runsOf, save, withStep, type Step } from '#bench/all/record.ts';
import type { RunReport } from '#bench/kit/report.ts';
import { SOME_MACHINE } from '#test/kit/some-machine.ts';

const report = (change: Partial<RunReport> = {}): RunReport => ({
  machine: SOME_MACHINE,
  fsync: { perSecond: 1000, p50Ms: 1, p99Ms: 2 },
  ceiling: null,
  settings: { pairs: 3 },
  figures: [{ name: 'one', unit: 'op/s', value: 1, errors: 0 }],
  failures: [],
  ...change,
});
const step = (name: string, change: Partial<Step> = {}): Step => ({
  kind: 'case',
  name,
  tookSeconds: 1,
  report: report(),
  ...change,
});

test('a step is done when it was measured; what failed, or left nothing, is run again', () => {
  const broken = step('broken', { report: report({ failures: [{ case: 'broken', message: 'it broke' }] }) });
  const gone = step('gone', { report: null, failure: 'it ended with 1: no memory' });
  const record = [step('sound'), broken, gone].reduce(withStep, begun('c', []));
  expect(['sound', 'broken', 'gone', 'other'].map((name) => isDone(record, name))).toEqual([true, false, false, false]);
  const mended = withStep(record, step('broken'));
  expect(mended.steps).toHaveLength(3);
  expect(isDone(mended, 'broken')).toBe(true);
});

test('a record is gone on with when commit and settings are the same, and lies whole in its file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-record-'));
  try {
    const file = join(dir, 'deep/all.json');
    const settings = ['--seconds', '2'];
    expect(resumed(file, begun('c', settings))).toBeNull();
    const record = withStep(begun('c', settings), step('one'));
    save(file, record);
    expect(resumed(file, begun('c', settings))).toEqual(record);
    expect(resumed(file, begun('d', settings))).toBeNull();
    expect(resumed(file, begun('c', ['--seconds', '3']))).toBeNull();
    expect(readdirSync(join(dir, 'deep'))).toEqual(['all.json']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('cases become one run and peers another: medians of the machine, every figure, every failure', () => {
  const fast = report({ fsync: { perSecond: 3000, p50Ms: 0.3, p99Ms: 1 }, ceiling: 100 });
  const failed = report({ figures: [], failures: [{ case: 'b', message: 'answered 500' }] });
  const peers = [{ name: 'Skep', version: 'c', settings: 'journal' }];
  const met = { ...report(), peers: [...peers, { name: 'X', version: '1', settings: 'fsync' }], skipped: [] };
  const skipped = { ...report({ figures: [] }), peers, skipped: [{ name: 'Y', reason: 'no compiler' }] };
  const steps = [
    step('a', { report: fast }),
    step('b', { report: failed }),
    step('c', { report: null, failure: 'it ended with SIGKILL' }),
    step('peer: X', { kind: 'peers', report: met }),
    step('peer: Y', { kind: 'peers', report: skipped }),
  ];
  const [hot, beside] = runsOf({ steps });
  expect(hot).toMatchObject({ fsync: { perSecond: 2000 }, fsyncRange: [1000, 3000], ceiling: 100 });
  expect(hot!.figures).toHaveLength(1);
  expect(hot!.failures).toEqual([
    { case: 'b', message: 'answered 500' },
    { case: 'c', message: 'it ended with SIGKILL' },
  ]);
  expect(hot!.peers).toBeUndefined();
  expect(beside!.peers!.map(({ name }) => name)).toEqual(['Skep', 'X']);
  expect(beside!.skipped).toEqual([{ name: 'Y', reason: 'no compiler' }]);
});

test('what failed where nothing of its kind was measured is listed with the other kind', () => {
  const gone = step('peer: X', { kind: 'peers', report: null, failure: 'it ended with 1' });
  const runs = runsOf({ steps: [step('a'), gone] });
  expect(runs.map(({ failures }) => failures)).toEqual([[{ case: 'peer: X', message: 'it ended with 1' }]]);
  expect(runsOf({ steps: [gone] })).toEqual([]);
});

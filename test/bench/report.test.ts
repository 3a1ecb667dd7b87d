import { expect, test } from 'vitest';
import type { Figure } from '#bench/kit/figure.ts';
import { hasErrors, reportText, type RunReport } from '#bench/kit/report.ts';
import { SOME_MACHINE } from '#test/kit/some-machine.ts';

const read: Figure = {
  name: 'read-by-id',
  unit: 'req/s',
  value: 61_000,
  p50Ms: 0.94,
  p99Ms: 2.1,
  ceiling: 130_000,
  ratio: 0.469,
  errors: 0,
  target: { of: 'ratio', bound: 'min', than: 0.5 },
};

const report = (change: Partial<RunReport> = {}): RunReport => ({
  machine: SOME_MACHINE,
  fsync: { perSecond: 2340, p50Ms: 0.41, p99Ms: 0.9 },
  ceiling: 130_000,
  settings: {},
  figures: [read],
  failures: [],
  ...change,
});

test('the text tells machine, disk, ceiling, ratio, target and whether it was reached', () => {
  const text = reportText(report());
  for (const part of ['A processor, 2 cores', 'commit abcdef123456+', '2,340 fsync/s', 'on ext4', '130,000 req/s'])
    expect(text).toContain(part);
  expect(text).toMatch(/read-by-id +61,000 req\/s +940 µs +2\.1 ms +130,000 +0\.469 +≥ 0\.5 × +NO +0/);
});

test('a run without HTTP has no ceiling, a failure shows its message', () => {
  const text = reportText(
    report({ ceiling: null, figures: [], failures: [{ case: 'list-20', message: 'answered 500' }] }),
  );
  expect(text).not.toContain('ceiling');
  expect(text).toContain('FAILED list-20: answered 500');
});

test('slowness is no error; a wrong answer and a broken case are', () => {
  expect(hasErrors(report())).toBe(false);
  expect(hasErrors(report({ figures: [{ ...read, errors: 1 }] }))).toBe(true);
  expect(hasErrors(report({ failures: [{ case: 'x', message: '' }] }))).toBe(true);
});

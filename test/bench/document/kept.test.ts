/** What the page of benchmarks keeps of a run, and what a further run takes the place of. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keep, keptIn, withRuns } from '#bench/document/kept.ts';
import { benchmarkPage, type Run } from '#bench/document/page.ts';
import type { Figure } from '#bench/kit/figure.ts';
import { SOME_MACHINE } from '#test/kit/some-machine.ts';

const figure = (name: string, value: number, more: Partial<Figure> = {}): Figure => ({
  name,
  case: name,
  unit: 'op/s',
  value,
  errors: 0,
  ...more,
});

const run = (figures: readonly Figure[], more: Partial<Run> = {}): Run => ({
  machine: SOME_MACHINE,
  fsync: { perSecond: 2340, p50Ms: 0.41, p99Ms: 0.9 },
  ceiling: null,
  settings: { pairs: 3, threads: 1, json: '/somewhere/run.json' },
  figures,
  failures: [],
  ...more,
});

const shown = (runs: readonly Run[]) => runs.map(({ figures }) => figures.map(({ name, value }) => `${name} ${value}`));

test('a figure that is measured again takes the place of the old one, and a run without a figure is gone', () => {
  const first = withRuns([], [run([figure('read', 1), figure('create', 2)])]);
  const second = withRuns(first, [run([figure('create', 3)])]);
  expect(shown(second)).toEqual([['read 1'], ['create 3']]);
  expect(shown(withRuns(second, [run([figure('create', 4), figure('read', 5)])]))).toEqual([['create 4', 'read 5']]);
});

test('what is measured beside several others is a figure for each', () => {
  const beside = (name: string, value: number): Figure => figure('peer-read', value, { rival: { name } });
  const runs = withRuns([run([beside('one', 1), beside('two', 2)])], [run([beside('two', 3)])]);
  expect(shown(runs)).toEqual([['peer-read 1'], ['peer-read 3']]);
});

test('a failure stays until its case was measured', () => {
  const failed = run([], { failures: [{ case: 'create', message: 'it broke' }] });
  expect(withRuns([failed], [run([figure('read', 1)])]).map(({ failures }) => failures.length)).toEqual([1, 0]);
  expect(withRuns([failed], [run([figure('create', 1)])]).map(({ failures }) => failures.length)).toEqual([0]);
});

test('the page of what was kept is the page of the runs, and says whether the machine was quiet', () => {
  const runs = [run([figure('read', 1, { otherCores: 0.9, runs: [1, 2] }), figure('create', 2, { otherCores: 0 })])];
  const dir = mkdtempSync(join(tmpdir(), 'skep-kept-'));
  try {
    const file = join(dir, 'benchmarks.json');
    expect(keptIn(file)).toEqual([]);
    keep(file, withRuns([], runs));
    const { page } = benchmarkPage(keptIn(file));
    expect(page).toBe(benchmarkPage(runs).page);
    expect(page).toContain('while 1 of 2 figures were measured');
    expect(JSON.stringify(keptIn(file))).not.toMatch(/"runs"|otherCores|somewhere/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

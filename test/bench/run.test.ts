import { expect, test } from 'vitest';
import { cases } from '#bench/cases.ts';
import { estimate, FIRST_START_SECONDS, runCases, withBench, type BenchCase } from '#bench/harness.ts';
import type { Figure } from '#bench/kit/figure.ts';
import { parseOptions } from '#bench/kit/options.ts';
import { chosen, usage } from '#bench/kit/usage.ts';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const quiet = (): void => undefined;
const made = (name: string, run: BenchCase['run'], http = false): BenchCase => ({
  name,
  measures: `what ${name} measures`,
  target: '≥ 0.5 ×',
  http,
  seconds: ({ seconds }) => seconds ?? 7,
  run,
});
const figure: Figure = { name: 'one', unit: 'op/s', value: 1, errors: 0 };

test('the usage names every case, its time and its target, and every flag', () => {
  const text = usage([made('alpha', async () => [])], parseOptions([]));
  expect(text).toMatch(/alpha +what alpha measures +7 s +≥ 0\.5 ×/);
  expect(text).toContain('--pairs N');
});

test('names are unique, all stands for every case, an unknown name is refused', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  expect(chosen(cases, ['all'])).toEqual(cases);
  expect(chosen(cases, ['list-20', 'read-by-id']).map(({ name }) => name)).toEqual(['read-by-id', 'list-20']);
  expect(() => chosen(cases, ['read'])).toThrow('there is no case read');
});

test('a run that needs a server counts its first start', () => {
  const options = parseOptions(['--seconds', '2']);
  const plain = [made('a', async () => []), made('b', async () => [])];
  expect(estimate(plain, options)).toBe(5);
  expect(estimate([...plain, made('c', async () => [], true)], options)).toBe(7 + FIRST_START_SECONDS);
});

test('a case that throws is a failure and the next one runs; the data directory is removed', async () => {
  const broken = made('broken', () => Promise.reject(new Error('it broke')));
  const sound = made('sound', async () => [figure]);
  let dataDir = '';
  const report = await withBench(parseOptions([]), undefined, quiet, (bench) => {
    dataDir = bench.dataDir;
    writeFileSync(join(dataDir, 'left'), 'x');
    return runCases([broken, sound], bench);
  });
  expect(report.failures).toEqual([{ case: 'broken', message: 'it broke' }]);
  expect(report.figures).toEqual([{ ...figure, case: 'sound' }]);
  expect(report.ceiling).toBeNull();
  expect(report.fsync.perSecond).toBeGreaterThan(0);
  expect(existsSync(dataDir)).toBe(false);
});

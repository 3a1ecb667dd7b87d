import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { byPeer, chosenContests, contests } from '#bench/duel/contests.ts';
import { duelFigure } from '#bench/duel/duel.ts';
import { BACKENDS, COMMON, DIRECTUS, firstLine } from '#bench/duel/install.ts';
import { firstError } from '#bench/duel/peer.ts';
import { peersText } from '#bench/duel/report.ts';
import { reached } from '#bench/kit/figure.ts';
import type { LoadResult } from '#bench/kit/wrk-output.ts';

const load = (perSecond: number, statusErrors = 0): LoadResult => ({
  requests: perSecond,
  seconds: 1,
  perSecond,
  bytes: 0,
  p50Ms: 1,
  p90Ms: 2,
  p99Ms: 1000 / perSecond,
  p999Ms: 4,
  maxMs: 5,
  socketErrors: 0,
  statusErrors,
});

test('names are unique, none stands for all, an unknown one is refused', () => {
  expect(new Set(contests.map(({ name }) => name)).size).toBe(contests.length);
  expect(chosenContests([])).toEqual({ http: contests, jq: true });
  expect(chosenContests(['jq'])).toEqual({ http: [], jq: true });
  expect(chosenContests(['key']).http.map(({ name }) => name)).toEqual(['key']);
  expect(() => chosenContests(['keys'])).toThrow('there is no contest keys');
});

test('a peer is started once for all of its contests', () => {
  const groups = [...byPeer(contests).values()];
  expect(groups.flat()).toHaveLength(contests.length);
  for (const group of groups) expect(new Set(group.map(({ peer }) => peer)).size).toBe(1);
});

test('a duel is the median of its pairs, and errors of either side count', () => {
  const contest = contests.find(({ name }) => name === 'read-postgres')!;
  const pairs = [
    { skep: load(600), peer: load(100) },
    { skep: load(400), peer: load(100) },
    { skep: load(2000), peer: load(200) },
  ];
  const figure = duelFigure(contest, pairs, 200, 200);
  expect(figure).toMatchObject({
    value: 600,
    ceiling: 100,
    ratio: 6,
    errors: 0,
    rival: { name: contest.peer.name, p99Ms: 10 },
  });
  expect(reached(figure)).toBe(true);
  const wrong = duelFigure(contest, [{ skep: load(600), peer: load(100, 3) }], 200, 200);
  expect([wrong.errors, reached(wrong)]).toEqual([3, false]);
});

test('the text tells ratio, settings, and who was skipped and why', () => {
  const contest = contests.find(({ name }) => name === 'hot-create')!;
  const figure = duelFigure(contest, [{ skep: load(400), peer: load(100) }], 201, 201);
  const run = { figures: [figure], failures: [{ case: 'key', message: 'broke' }] };
  const peers = [{ name: 'Skep', version: 'abc', settings: 'journal' }];
  const text = peersText({ ...run, peers, skipped: [{ name: 'X', reason: 'not here' }] } as never);
  expect(text).toMatch(/hot-create .* 4 × +≥ 5 × +NO +0/);
  for (const part of ['Skep abc: journal', 'SKIPPED X: not here', 'FAILED key: broke']) expect(text).toContain(part);
});

test('of what a peer said the error counts', () => {
  expect(firstError('at file:1\n\nError: no such thing\n    at x\nNode.js v22')).toBe('Error: no such thing');
  expect(firstError('')).toBe('it said nothing');
});

test('of what an installation said the line counts that tells why', () => {
  expect(firstLine('npm error code 1\nnpm error gyp ERR! not found: make\nnpm error A log')).toContain(
    'not found: make',
  );
  expect(firstLine("node:internal\nError: Cannot find module 'sqlite3'\n  at x")).toBe(
    "Error: Cannot find module 'sqlite3'",
  );
  expect(firstLine('')).toBe('it said nothing');
});

test('the peers have exact versions, a lock file that names no registry, and run no scripts at install', () => {
  for (const { dir } of [BACKENDS, COMMON, DIRECTUS]) {
    const read = (file: string): string => readFileSync(`${dir}${file}`, 'utf8');
    type Versions = Record<string, string>;
    const named = JSON.parse(read('package.json')) as { dependencies: Versions; optionalDependencies?: Versions };
    for (const version of Object.values({ ...named.dependencies, ...named.optionalDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(read('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
    expect(read('.npmrc')).toContain('ignore-scripts=true');
  }
});

/**
 * The fault matrix: each call that a node makes to each kind of its files fails, is short or late, the first one, the second and so on. What was
 * acknowledged is there afterwards, answers are declared, and the node goes on or ends with its declared exit code: docs/decisions/platform.md PL-18.
 * Cells: test/kit/rounds.ts, SKEP_MATRIX_CELLS; SKEP_MATRIX_CELL runs one by its name.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canBreakDisk } from '#test/kit/failing-disk.ts';
import { Random } from '#test/kit/random.ts';
import { isLongRun, rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { coverage, tally, TALLY_FILE } from '#test/kit/tally.ts';
import { censusOf, type Census } from '#test/crash/matrix/census.ts';
import { CALLS, cellsOf, EFFECTS, IMPOSSIBLE, nameOf, pick, type Cell } from '#test/crash/matrix/cells.ts';
import { compileInjector } from '#test/crash/matrix/injector.ts';
import { kindOf, KINDS } from '#test/crash/matrix/kinds.ts';
import { grouped, harmOf, runCells } from '#test/crash/matrix/run-cells.ts';
import { makeMatrixSite, SITE_NAMES, type MatrixSite, type SiteName } from '#test/crash/matrix/sites.ts';

/** A campaign makes its sites once for many cells. */
const isCampaign = process.env[TALLY_FILE] !== undefined;
/** Nodes; in a campaign each meets several cells where it can. */
const CELLS = rounds(isCampaign ? { suite: 24, ci: 200 } : { suite: 2, ci: 4 }, 'SKEP_MATRIX_CELLS');
const SEED = testSeed();
const WISHED = process.env['SKEP_MATRIX_CELL'];
const LIMIT = { timeout: 300_000 + CELLS * 60_000 };
/** In memory where the machine has it: what copies ask of a disk is no part of the test. */
const SHARED_MEMORY = '/dev/shm';

/** The short run is of one site. */
const SITES: readonly SiteName[] = isLongRun || isCampaign || WISHED !== undefined ? SITE_NAMES : ['plain'];
/** Cells that once failed. */
const FOUND = ['clock/sync/EIO/3', 'epoch, new/write/short/1', 'vault file, new/write/short/3'];

function filesIn(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true }) as string[];
  return names.filter((name) => statSync(join(directory, name)).isFile());
}

test('each pair of a call and an effect is tried, or is declared as impossible with its reason', () => {
  expect(IMPOSSIBLE.filter(({ why }) => why === '')).toEqual([]);
  const counted = { count: () => 1 };
  const tried = new Set(cellsOf('plain', counted).map(({ call, effect }) => `${call}/${effect}`));
  const declared = IMPOSSIBLE.map(({ call, effect }) => `${call}/${effect}`);
  const all = CALLS.flatMap((call) => EFFECTS.map((effect) => `${call}/${effect}`));
  expect([...tried, ...declared].toSorted()).toEqual(all.toSorted());
});

test('cells that one node meets have one site and differ in kind or call; one that ends it is alone', () => {
  const cells = SITE_NAMES.flatMap((site) => cellsOf(site, { count: () => 3 }));
  const groups = grouped(pick(cells, 400, new Random(1)));
  expect(groups.flat()).toHaveLength(400);
  const sizes = (harm: string): number[] =>
    groups.flatMap((group) => (harmOf(group[0]!) === harm ? [group.length] : []));
  expect([Math.max(...sizes('none')), Math.max(...sizes('refusal')), Math.max(...sizes('end'))]).toEqual([12, 6, 1]);
  for (const group of groups) {
    const calls = group.map(({ kind, call }) => `${kind}/${call}`);
    expect(new Set(calls).size).toBe(calls.length);
    expect(new Set(group.map(({ kind }) => KINDS.find(({ name }) => name === kind)!.site)).size).toBe(1);
    expect(group.filter(({ call, effect }) => call === 'write' && effect === 'short').length).toBeLessThan(2);
    expect(new Set(group.map(harmOf)).size).toBe(1);
  }
});

test('an order of cells comes from its seed, and has each once', () => {
  const cells = cellsOf('vault', { count: ({ call }) => (call === 'read' ? 60 : 2) });
  expect(Math.max(...cells.map(({ no }) => no))).toBe(50);
  const names = (seed: number, count = cells.length): string[] => pick(cells, count, new Random(seed)).map(nameOf);
  expect(names(1)).toEqual(names(1));
  expect(names(1, 5)).not.toEqual(names(2, 5));
  expect(names(3).toSorted()).toEqual(cells.map(nameOf).toSorted());
});

describe.runIf(canBreakDisk())('a fault of the disk', LIMIT, () => {
  const sites = new Map<SiteName, { readonly site: MatrixSite; readonly census: Census }>();
  let scratch: string;
  let library: string;
  const all: Cell[] = [];

  beforeAll(async () => {
    scratch = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'skep-matrix-'));
    library = compileInjector(scratch);
    for (const name of SITES) {
      const site = await makeMatrixSite(scratch, name);
      const census = await censusOf(site, library, scratch);
      sites.set(name, { site, census });
      all.push(...cellsOf(name, census.counted));
    }
  }, LIMIT.timeout);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test('without one, a node refuses nothing and ends in order; it makes no file of an undeclared kind, and each kind that is tried', () => {
    for (const [name, { census }] of sites) {
      expect([name, census.violations, census.counted.strange]).toEqual([name, [], []]);
      expect(filesIn(census.place).filter((path) => kindOf(path) === null)).toEqual([]);
      const tried = new Set(all.map(({ kind }) => kind));
      const declared = KINDS.filter(({ site, untried }) => site === name && untried === undefined);
      expect(declared.flatMap(({ name: kind }) => (tried.has(kind) ? [] : [kind]))).toEqual([]);
    }
  });

  test(
    `in ${CELLS} cells: nothing is lost or half there, answers are declared, it goes on or ends as declared`,
    LIMIT,
    async () => {
      const { left, cover } = coverage(all.map(nameOf));
      const open = new Set(left);
      const named = all.filter((cell) =>
        WISHED === undefined ? FOUND.includes(nameOf(cell)) : nameOf(cell) === WISHED,
      );
      const others = pick(
        all.filter((cell) => open.has(nameOf(cell)) && !named.includes(cell)),
        WISHED === undefined ? all.length : 0,
        new Random(SEED),
      );
      const together = isCampaign ? grouped(others) : others.map((cell) => [cell]);
      const groups = [...named.map((cell) => [cell]), ...together.slice(0, CELLS)];
      expect(groups.length).toBeGreaterThan(0);
      const workers = Math.min(2, availableParallelism());
      const siteOf = (name: SiteName): MatrixSite => sites.get(name)!.site;
      const bad = await runCells({ library, scratch, workers, siteOf }, groups, ({ covered, acknowledged }) => {
        for (const cell of covered) cover(nameOf(cell));
        tally({ cells: covered.length, acknowledged });
      });
      if (bad.length > 0) console.log(`seed ${SEED}`);
      expect(bad).toEqual([]);
    },
  );
});

/** The parts of `npm run campaign` without a run: its command line, how time is shared, how counts add up, and its page. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { covered, namesIn, type Covered } from '#test/kit/covered.ts';
import { Progress, seedsLine } from '#test/kit/progress.ts';
import { coverage, coveredBefore, coveredIn, tally, TALLY_FILE } from '#test/kit/tally.ts';
import { CAMPAIGNS } from './campaigns.ts';
import { parseOptions, usage } from './options.ts';
import { nextOf } from './pace.ts';
import type { PlantedRecord } from '#test/planted/planted.ts';
import { reliabilityPage } from './page.ts';
import { addRun, countsIn, coveredBy, recordOf, type Run } from './record.ts';
import { countsText, progressLine } from './summary.ts';

const RUN: Run = {
  machine: {
    date: '2026-11-27T12:00:00.000Z',
    cpu: 'a processor',
    cores: 2,
    memoryGb: 24,
    kernel: '6.1',
    node: 'v22.0.0',
    commit: 'abc',
    fileSystem: 'ext4',
  },
  fsyncPerSecond: 7000,
  campaigns: [{ name: 'kills', seconds: 90, times: 2, tests: 10, counts: { kills: 30, acknowledged: 4000 } }],
  violations: [],
};

const here = (): string => mkdtempSync(join(tmpdir(), 'skep-campaign-test-'));

test('each file of a campaign is there, and none belongs to two', () => {
  const files = Object.values(CAMPAIGNS).flatMap((campaign) => campaign.files);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(files.filter((file, at) => files.indexOf(file) !== at)).toEqual([]);
});

test('a long run says how far it is', () => {
  const said: string[] = [];
  let now = 1000;
  const progress = new Progress({ everyMs: 10_000, now: () => now, say: (line) => void said.push(line) });
  for (let done = 1; done <= 40; done++) {
    now += 1000;
    progress.tick((ms) => seedsLine('simulation', { done: done * 100, of: 8000, ms, violations: 0 }));
  }
  expect(said).toEqual([
    'simulation: 1,000 of 8,000 seeds, 100 a second, 0 violations, about 70 s left',
    'simulation: 2,000 of 8,000 seeds, 100 a second, 0 violations, about 60 s left',
    'simulation: 3,000 of 8,000 seeds, 100 a second, 0 violations, about 50 s left',
    'simulation: 4,000 of 8,000 seeds, 100 a second, 0 violations, about 40 s left',
  ]);
  const underway = { name: 'kills', times: 2, spentMs: 61_000, allMs: 600_000, forMs: 1_800_000, violations: 0 };
  expect(progressLine({ ...underway, counted: countsText({ kills: 30 }) })).toBe(
    'campaign kills: run 3, 61 s (all: 600 s of 1,800 s), no violation; 30 processes killed (SIGKILL)',
  );
  expect(progressLine({ ...underway, forMs: null, violations: 1, counted: '' })).toBe(
    'campaign kills: run 3, 61 s, 1 runs failed; nothing counted yet',
  );
});

test('seconds of clusters are shown as a time', () => {
  expect(countsText({ clusterSeconds: 36_360, acknowledged: 2 })).toMatch(/^10 h 6 min of clusters [^;]+; 2 writes /);
});

describe('the command line', () => {
  test.each([
    [['all', '--for', '30m'], { names: Object.keys(CAMPAIGNS), forMs: 1_800_000, to: null, help: false }],
    [['sql', 'kills', '--to', 'a.json'], { names: ['sql', 'kills'], forMs: null, to: 'a.json', help: false }],
    [['sql', '--for', '90s'], { names: ['sql'], forMs: 90_000, to: null, help: false }],
    [[], { names: [], forMs: null, to: null, help: true }],
  ])('%j', (args, options) => {
    expect(parseOptions(args)).toEqual(options);
  });

  test.each([
    [['everything'], 'there is no campaign everything: all, kills, '],
    [['sql', '--for', '0m'], '--for takes a time such as 90s, 30m or 12h, not 0m'],
    [['sql', '--for', 'long'], '--for takes a time such as 90s, 30m or 12h, not long'],
  ])('%j is refused', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });

  test('its help names each campaign with what it proves', () => {
    for (const [name, { proves }] of Object.entries(CAMPAIGNS))
      expect(usage()).toContain(`${name.padEnd(20)}${proves}`);
  });
});

describe('a time is shared', () => {
  /** Which of them run, one after the other, where each run of a campaign takes so long. */
  const order = (takesMs: readonly number[], forMs: number | null): number[] => {
    const all = takesMs.map((ms, at) => ({ at, ms, times: 0, spentMs: 0 }));
    const ran: number[] = [];
    for (let one = nextOf(all, forMs); one !== null; one = nextOf(all, forMs)) {
      one.times++;
      one.spentMs += one.ms;
      ran.push(one.at);
    }
    return ran;
  };

  test.each([
    ['without a time each runs once', [5, 3, 900], null, [0, 1, 2]],
    ['each runs once, also where that takes longer', [50, 60, 900], 10, [0, 1, 2]],
    ['what is left goes to those that have had the least', [10, 30, 50], 150, [0, 1, 2, 0, 0, 0, 1]],
    ['a run of which half fits is begun', [60], 100, [0, 0]],
    ['a run of which less fits is not', [70], 100, [0]],
    ['a longer one leaves room for a shorter one', [10, 100], 126, [0, 1, 0, 0]],
  ] as const)('%s', (_name, takesMs, forMs, ran) => {
    expect(order(takesMs, forMs)).toEqual(ran);
  });
});

test('what tests count adds up, and a line that a kill has cut does not count', () => {
  const file = join(here(), 'tally');
  vi.stubEnv(TALLY_FILE, file);
  onTestFinished(() => void vi.unstubAllEnvs());
  tally({ kills: 2 });
  tally({ kills: 1, requests: 5 });
  expect(countsIn(`${readFileSync(file, 'utf8')}{"kills":`)).toEqual({ kills: 3, requests: 5 });
});

describe('cells of a table', () => {
  const RUN_OF = (covered: Covered) => ({
    name: 'matrix',
    seconds: 9,
    times: 1,
    tests: 4,
    counts: { cells: 3 },
    covered,
  });

  test('are written as ranges, and read again', () => {
    const names = [
      'a/write/EIO/3',
      'a/write/EIO/1',
      'a/write/EIO/2',
      'a/write/EIO/9',
      'b c/read/delay/7',
      'a/write/EIO/9',
    ];
    expect(covered(20, names)).toEqual({ of: 20, cells: { 'a/write/EIO': '1-3,9', 'b c/read/delay': '7' } });
    expect([...namesIn(covered(20, names))].toSorted()).toEqual([...new Set(names)].toSorted());
  });

  test('those of several runs are counted once, of the table of the newest', () => {
    const [one, two] = [covered(12, ['a/1', 'a/2', 'b/1']), covered(10, ['a/2', 'a/3'])];
    expect(coveredBy([RUN_OF(one), RUN_OF(two)])).toEqual(covered(10, ['a/1', 'a/2', 'a/3', 'b/1']));
    expect(coveredBy([RUN.campaigns[0]!])).toBe(null);
    const run = { ...RUN, campaigns: [RUN_OF(one), RUN_OF(two)] };
    expect(reliabilityPage({ release: '1.0.0', runs: [run] }, null)).toContain('; 4 different cells of 10 |');
  });

  test('a campaign goes on with those that neither its record nor it has covered', () => {
    const file = join(here(), 'tally');
    vi.stubEnv(TALLY_FILE, file);
    onTestFinished(() => void vi.unstubAllEnvs());
    const all = ['a/1', 'a/2', 'b/1'];
    writeFileSync(file, coveredBefore(covered(3, ['a/1'])));
    const first = coverage(all);
    expect(first.left).toEqual(['a/2', 'b/1']);
    first.cover('b/1');
    const second = coverage(all);
    expect(second.left).toEqual(['a/2']);
    second.cover('a/2');
    expect(coverage(all).left).toEqual(all);
    expect(coveredIn(readFileSync(file, 'utf8'))).toEqual(covered(3, ['a/2', 'b/1']));
    expect(coveredIn('{"kills":1}\n')).toBe(undefined);
  });

  test('without a campaign all are left', () => {
    vi.stubEnv(TALLY_FILE, undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(coverage(['a/1']).left).toEqual(['a/1']);
  });
});

test('runs of one release add up in a record; that of another is left as it is', () => {
  const file = join(here(), 'record.json');
  addRun(file, '1.0.0', RUN);
  addRun(file, '1.0.0', RUN);
  const text = readFileSync(file, 'utf8');
  expect(recordOf(text).runs).toEqual([RUN, RUN]);
  expect(() => addRun(file, '1.1.0', RUN)).toThrow('is the record of release 1.0.0, and this is 1.1.0');
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(() => recordOf('{"figures":[]}')).toThrow('is not the record of a campaign');
});

describe('the page', () => {
  test('adds runs up, and says what did not run', () => {
    const page = reliabilityPage({ release: '1.0.0', runs: [RUN, RUN] }, null);
    expect(page).toContain('In all: 60 processes killed (SIGKILL); 8,000 writes acknowledged');
    expect(page).toContain('No violation was found.');
    expect(page).toMatch(/\| `kills` \| .* \| 4 \| 3 min \| 60 processes killed/);
    expect(page).toMatch(/\| `sql` \| .* \| 0 \| not run \| {2}\|/);
  });

  test('names each violation with its seed', () => {
    const violations = [
      { campaign: 'sql', seed: 7, failures: ['failed: a.test.ts: it: was not equal'], mended: 'b.test.ts' },
    ];
    const page = reliabilityPage({ release: '1.0.0', runs: [RUN, { ...RUN, violations }] }, null);
    expect(page).toContain('1 run failed: see [Violations](#violations).');
    expect(page).toContain('- `sql`, seed 7, commit abc:\n  - a.test.ts: it: was not equal');
  });

  test('is the one that its record makes', () => {
    const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
    expect(read('docs/reliability.md')).toBe(
      reliabilityPage(recordOf(read('docs/reliability.json')), JSON.parse(read('docs/planted.json')) as PlantedRecord),
    );
  });
});

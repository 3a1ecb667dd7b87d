/** The console over a million rows in Debian's Chromium: slow frames while it is scrolled, its first page, and what an idle one costs the node. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import type { Bench, BenchCase } from './harness.ts';
import { ConsoleTab, eventsOf, secondsOf } from './kit/console-tab.ts';
import { BUSY_TENANT, fillPlaces, withDataNode, type DataNode } from './kit/data-node.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { framesBetween, slowOf, slowShare, type Frames, type TraceEvent } from './kit/frames.ts';
import { ROOT } from './kit/machine.ts';
import { median, timesOf } from './kit/stats.ts';

const MILLION = 1_000_000;
const SECONDS = 8;
/** About what a million rows take to import. */
const ROWS_PER_SECOND = 15_000;
const PAGES = 9;
/** As a hand turns a wheel that it wants to get on with. */
const PIXELS_PER_SECOND = 4_000;
const SLOW_MAX = 5;
const FIRST_MS_MAX = 1_000;
/** Of a core, in per cent. */
const IDLE_MAX = 1;
const IDLE_SECONDS = 40;
/** What the node does with what came before is over then. */
const SETTLE_MS = 10_000;
/** What one script does to frames, so that a run proves that it would see it. */
const PLANTED = { every: 300, ms: 60 } as const;

const ROWS = `document.querySelectorAll('.grid-row').length > 20 && document.querySelector('.grid-row .waiting') === null`;
const GRID = `document.querySelector('.grid')`;

interface Leg {
  readonly name: string;
  /** Where it begins: a share of all rows. */
  readonly from: number;
  readonly scroll: (tab: ConsoleTab, seconds: number) => Promise<unknown>;
}

const wheel =
  (direction: 1 | -1) =>
  (tab: ConsoleTab, seconds: number): Promise<void> =>
    tab.wheel(direction * seconds * PIXELS_PER_SECOND, PIXELS_PER_SECOND);

/** From the first row to the last, as one draws the bar at the side: other rows at each frame. */
const draw = (tab: ConsoleTab, seconds: number): Promise<unknown> =>
  tab.page.run(`
    const grid = ${GRID};
    const began = performance.now();
    for (let part = 0; part < 1; part = (performance.now() - began) / ${seconds * 1000}) {
      grid.scrollTop = part * (grid.scrollHeight - grid.clientHeight);
      await new Promise((done) => requestAnimationFrame(done));
    }`);

const LEGS: readonly Leg[] = [
  { name: 'wheel from the top', from: 0, scroll: wheel(1) },
  { name: 'wheel in the middle', from: 0.5, scroll: wheel(1) },
  { name: 'wheel up from the end', from: 1, scroll: wheel(-1) },
  { name: 'bar from end to end', from: 0, scroll: draw },
];

const planted = (tab: ConsoleTab): Promise<unknown> =>
  tab.page.run(`
    window.planted = 0;
    setInterval(() => {
      const ends = performance.now() + ${PLANTED.ms};
      while (performance.now() < ends);
      window.planted++;
    }, ${PLANTED.every});`);

async function walk(tab: ConsoleTab, name: string, { from, scroll }: Leg, seconds: number): Promise<void> {
  await tab.page.run(`const grid = ${GRID}; grid.scrollTop = ${from} * grid.scrollHeight;`);
  await tab.shows(ROWS);
  await tab.mark(`${name}, begin`);
  await scroll(tab, seconds);
  await tab.mark(`${name}, end`);
}

const framesOf = (events: readonly TraceEvent[], name: string): Frames =>
  framesBetween(events, `${name}, begin`, `${name}, end`);

/** Slow frames while a million rows are scrolled, and whether those that were planted are seen. */
async function scrolled(bench: Bench, tab: ConsoleTab): Promise<Figure[]> {
  const { seconds = SECONDS } = bench.options;
  let caused = 0;
  const trace = await tab.traced(async () => {
    for (const leg of LEGS) await walk(tab, leg.name, leg, seconds);
    await planted(tab);
    await walk(tab, 'planted', LEGS[0]!, seconds);
    caused = Number(await tab.page.run('return window.planted'));
  });
  const dir = join(ROOT, 'bench/results');
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'console-grid.trace.json');
  writeFileSync(file, trace);
  bench.log(`  the trace: ${file}`);
  const events = eventsOf(trace);
  // Beyond those that the same way has by itself. A frame that is held up twice counts once.
  const seen = slowOf(framesOf(events, 'planted').made) - slowOf(framesOf(events, LEGS[0]!.name).made);
  const isBlind = caused === 0 || seen < caused / 2;
  const legs = LEGS.map(({ name }) => ({ name, ...framesOf(events, name) }));
  return (['drawn', 'made'] as const).map((side) => {
    const gaps = legs.flatMap((leg) => leg[side]);
    const single = legs.map((leg) => `${leg.name} ${number(slowShare(leg[side]))} % of ${number(leg[side].length)}`);
    return {
      name: `console-grid, frames over 33 ms, as ${side}`,
      unit: '%',
      value: slowShare(gaps),
      ...timesOf(gaps.length === 0 ? [Number.POSITIVE_INFINITY] : gaps),
      errors: isBlind ? 1 : 0,
      target: { of: 'value', bound: 'max', than: SLOW_MAX },
      note: `${single.join('; ')}; beside ${caused} that were held up on purpose there were ${seen} more`,
    };
  });
}

const took = (name: string, runs: readonly number[], note: string): Figure => ({
  name: `console-grid, ${name}`,
  unit: 'ms',
  value: median(runs),
  runs,
  errors: 0,
  target: { of: 'value', bound: 'max', than: FIRST_MS_MAX },
  note,
});

/** The first page, each time with an empty cache, and the rows behind the log in. */
async function first(tab: ConsoleTab, address: string): Promise<Figure[]> {
  const forms: number[] = [];
  const grids: number[] = [];
  for (let page = 0; page < PAGES; page++) {
    forms.push(await tab.form(address));
    grids.push(await tab.enter(ROWS));
  }
  return [
    took(
      'first usable page',
      forms,
      'from the address, nothing cached, to a form of the log in that takes what is typed',
    ),
    took('rows after the log in', grids, 'from the password, which is hashed, to a grid full of rows'),
  ];
}

interface Look {
  readonly name: string;
  readonly path: string;
  /** What is there when the page is. */
  readonly shown: string;
}

/** What a page costs the node while it is open and no hand moves: the node's processor time with it, above that without one just before and just after. */
async function idle(node: DataNode, tab: ConsoleTab, looks: readonly Look[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  let before = await coresOf(node, IDLE_SECONDS);
  for (const { name, path, shown } of looks) {
    await tab.form(`${node.console!}${path}`);
    await tab.enter(shown);
    const used = await coresOf(node, IDLE_SECONDS);
    await tab.page.goto('about:blank');
    const after = await coresOf(node, IDLE_SECONDS);
    figures.push({
      name: `console-grid, idle at ${name}`,
      unit: '%',
      value: 100 * (used - (before + after) / 2),
      errors: 0,
      target: { of: 'value', bound: 'max', than: IDLE_MAX },
      note: `of a core: ${number(100 * used)} with it, ${number(100 * before)} before, ${number(100 * after)} after`,
    });
    before = after;
  }
  return figures;
}

async function coresOf({ pid }: DataNode, seconds: number): Promise<number> {
  await passed(SETTLE_MS);
  const [used, began] = [secondsOf(pid), performance.now()];
  await passed(seconds * 1000);
  return ((secondsOf(pid) - used) * 1000) / (performance.now() - began);
}

const pathOf = (tenant: string, page: string): string => `/console/at/${tenant.replaceAll(':', '/')}${page}`;

async function measure(bench: Bench, node: DataNode, tab: ConsoleTab): Promise<Figure[]> {
  const rows = pathOf(BUSY_TENANT, '/data/place');
  const pages = await first(tab, `${node.console!}${rows}`);
  bench.log('  scrolling');
  const frames = await scrolled(bench, tab);
  await tab.page.goto('about:blank');
  bench.log(`  idle, five times ${IDLE_SECONDS} s`);
  const looks: readonly Look[] = [
    { name: 'the rows, which it follows', path: rows, shown: ROWS },
    { name: "the operator's home", path: '/console/operations', shown: `document.querySelector('#verdict') !== null` },
  ];
  return [...pages, ...frames, ...(await idle(node, tab, looks))];
}

export const consoleGrid: BenchCase = {
  name: 'console-grid',
  measures: 'the console over --grown rows (at most a million) in Chromium: slow frames, first page, an idle page',
  target: `≤ ${SLOW_MAX} % of frames over 33 ms, first page ≤ ${FIRST_MS_MAX / 1000} s, idle < ${IDLE_MAX} % of a core`,
  http: false,
  seconds: ({ grown, seconds = SECONDS }) =>
    Math.min(grown, MILLION) / ROWS_PER_SECOND + (LEGS.length + 1) * seconds + 5 * IDLE_SECONDS + 110,
  run: async (bench) => {
    // A machine without Chromium has the other cases all the same.
    const { buildConsole } = await import('#test/kit/console-build.ts');
    buildConsole();
    return withDataNode(
      bench,
      async (node) => {
        const rows = Math.min(bench.options.grown, MILLION);
        bench.log(`  importing ${number(rows)} rows`);
        await fillPlaces(node, 0, rows);
        const tab = await ConsoleTab.open();
        try {
          return await measure(bench, node, tab);
        } finally {
          await tab.close();
        }
      },
      // Each page logs in anew, from one address.
      { console: true, more: 'rates: { auth_login: off }\n' },
    );
  },
};

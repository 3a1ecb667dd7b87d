/** `docs/benchmarks.md` and its pictures out of runs: what was reached, what was not, what could not be measured. */
import { reached, targetText, type Figure, type Rival } from '#bench/kit/figure.ts';
import { duration, number, quantity } from '#bench/kit/format.ts';
import type { RunReport } from '#bench/kit/report.ts';
import { QUIET_MAX } from '#bench/kit/watch.ts';
import { askedOf, missedOf } from './asked.ts';
import { barChart, type Bar } from './bars.ts';
import { causeOf } from './causes.ts';

/** A run of `bench`, or of `bench:peers`, which names its peers too. */
export interface Run extends RunReport {
  readonly peers?: readonly { readonly name: string; readonly version: string; readonly settings: string }[];
  /** Slowest and fastest of the disk, where it was measured more than once. */
  readonly fsyncRange?: readonly [low: number, high: number];
  readonly skipped?: readonly { readonly name: string; readonly reason: string }[];
  /** Of a run of docs/benchmarks.json. */
  readonly quiet?: Quiet;
}

/** During how many figures the machine was watched, and was not quiet. */
interface Quiet {
  readonly watched: number;
  readonly loud: number;
}

export interface Written {
  readonly page: string;
  /** By file name. */
  readonly pictures: ReadonlyMap<string, string>;
}

const PICTURES = 'benchmarks';

const HOW = `## How to read this

- **Only ratios travel.** Server and load share the machine's cores, and a machine's speed moves from hour to hour; so Skep and what it
  stands beside alternate in pairs within one run, and a ratio is the median of the pairs' own ratios.
- **Closed loop** (wrk): each connection sends its next request when the last one is answered. It finds the highest rate and the latency
  *at that rate*. While the server stalls a closed loop sends nothing, so a stall shows as a few slow requests instead of all
  those that should have been sent: that is **coordinated omission**. wrk fills in what it believes was omitted, so its p99 and p99.9
  are estimates; hold them against another closed loop's, not against an objective.
- **Constant rate** (h2load, the cases whose names end in \`-rate\`): half of the highest rate, kept whatever the server does. Times count from the
  moment of sending: as long as the rate was kept, which each note says, nothing is hidden.
- **Server** and **load** are processor seconds a second of everything that the bench started, and of wrk or h2load. The **bottleneck** names what had nothing left:
  a thread of the server that was busy nine tenths of the time, the load, the disk (busy nine tenths of the time), all cores together, or nothing:
  then the answers' own latency held the callers up. Figures without one are of a function, called in one thread of the bench that it keeps busy. Where others
  had part of the cores the machine was not quiet, and the figure is worth little.
- A **durable** figure means little without the disk's own: its fsync/s stand above. On a disk that ignores flushes it means nothing.
- One wrong answer fails a figure and its target with it. What failed or was left out is listed below, not dropped.
`;

/** Several runs become one page. */
export function benchmarkPage(runs: readonly Run[]): Written {
  if (runs.length === 0) throw new Error('there is no run to write a page from');
  const pictures = new Map<string, string>();
  const parts = [
    '# Benchmarks\n\nMade from runs by `npm run bench:document`; do not edit. Run them yourself: `npm run bench:all`, then `npm run bench:document bench/results/all.json -- --anew`.\n',
    summary(runs),
    ...asked(runs),
    ...runs.map((run, at) => section(titleOf(run, runs.slice(0, at)), run, pictures)),
    HOW,
  ];
  return { page: parts.join('\n'), pictures };
}

/** Where Skep loses comes first, so that a reader need not look for it. */
function summary(runs: readonly Run[]): string {
  const figures = runs.flatMap((run) => run.figures);
  const held = figures.filter(({ target }) => target !== undefined);
  const missed = missedOf(held);
  const wrong = figures.filter(({ errors }) => errors > 0);
  const failures = runs.flatMap((run) => run.failures);
  const lines = [
    `${held.length - missed.length} of ${held.length} targets reached, ${wrong.length} figures with wrong answers, ${failures.length} cases failed.`,
    ...missed.map(
      (figure) =>
        `- **missed**: ${nameOf(figure)}: ${measured(figure)}, target ${targetOf(figure)}${causeText(figure)}`,
    ),
    ...behind(runs).map(
      (figure) =>
        `- **behind**: ${nameOf(figure)}: ${number(figure.ratio!)} × ${quantity(figure.ceiling!, figure.unit)}`,
    ),
    ...wrong.map((figure) => `- **wrong answers**: ${nameOf(figure)}: ${number(figure.errors)}`),
    ...failures.map((failure) => `- **failed**: ${failure.case}: ${cell(failure.message)}`),
  ];
  return `## Where it stands\n\n${lines.join('\n')}\n`;
}

/** What the work on speed was asked to reach, of what the runs have. */
function asked(runs: readonly Run[]): string[] {
  const figures = askedOf(runs.flatMap((run) => run.figures));
  if (figures.length === 0) return [];
  const rows = figures.map((figure) => {
    const hit = reached(figure) === true ? 'yes' : '**no**';
    return `| ${[cell(nameOf(figure)), targetOf(figure), measured(figure), hit].join(' | ')} |`;
  });
  const told = [...new Set(missedOf(figures).map((figure) => `- ${nameOf(figure)}${causeText(figure)}`))];
  const table = ['| figure | asked | measured | reached |', '|---|---|---|---|', ...rows];
  return [
    `## What the work on speed was asked to reach\n\n${table.join('\n')}\n${told.length === 0 ? '' : `\n${told.join('\n')}\n`}`,
  ];
}

/** Why it is missed; empty where the cause is not known. */
function causeText(figure: Figure): string {
  const cause = causeOf(figure);
  if (cause === null) return '';
  const tried = cause.tried.map((one, at) => ` (${at + 1}) ${one}`).join(';');
  return `. ${cause.why}${tried === '' ? '' : ` Tried:${tried}.`}`;
}

/** Slower than a peer, whether or not the target promised more. */
const behind = (runs: readonly Run[]): Figure[] =>
  runs
    .flatMap(({ peers, figures }) => (peers === undefined ? [] : figures))
    .filter(({ rival, ratio = 1 }) => rival !== undefined && ratio < 1);

const nameOf = ({ name, rival }: Figure): string => (rival === undefined ? name : `${name} beside ${rival.name}`);

function measured(figure: Figure): string {
  const { target } = figure;
  if (target?.of === 'ratio') return figure.ratio === undefined ? 'no ratio' : `${number(figure.ratio)} ×`;
  if (target?.of === 'p99Ms') return figure.p99Ms === undefined ? 'no p99' : `p99 ${duration(figure.p99Ms)}`;
  if (target?.of === 'p50Ms') return figure.p50Ms === undefined ? 'no p50' : `p50 ${duration(figure.p50Ms)}`;
  return quantity(figure.value, figure.unit);
}

const kindOf = ({ peers }: Run): string => (peers === undefined ? 'Hot paths' : 'Beside others');

/** Runs of one kind are numbered from the second one on. */
function titleOf(run: Run, before: readonly Run[]): string {
  const kind = kindOf(run);
  const others = before.filter((one) => kindOf(one) === kind).length;
  return others === 0 ? kind : `${kind}, run ${others + 1}`;
}

function section(title: string, run: Run, pictures: Map<string, string>): string {
  const { machine, fsync, ceiling, settings } = run;
  const facts = [
    `${machine.date.slice(0, 10)}, commit ${machine.commit ?? 'unknown'}, Node ${machine.node}`,
    `${machine.cpu}, ${machine.cores} cores shared by server and load, ${machine.memoryGb} GB, Linux ${machine.kernel}`,
    `disk ${number(fsync.perSecond)} fsync/s (p50 ${duration(fsync.p50Ms)}, p99 ${duration(fsync.p99Ms)}) on ${machine.fileSystem}${rangeText(run)}`,
    ...(ceiling === null ? [] : [`raw uWebSockets.js hello ${number(ceiling)} req/s, median of the run`]),
    `pairs ${cell(String(settings['pairs']))}, seconds of a run ${secondsText(settings)}, threads of wrk ${cell(String(settings['threads']))}, tenant hosts ${hostsText(settings)}`,
    ...unquiet(run),
    ...(run.peers ?? []).map((peer) => `${peer.name} ${peer.version}: ${cell(peer.settings)}`),
    ...(run.skipped ?? []).map(({ name, reason }) => `**skipped** ${name}: ${cell(reason)}`),
  ];
  const table = [
    '| figure | measured | p50 | p99 | p99.9 | beside | ratio | server cores | load cores | bottleneck | target | reached | errors | note |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|---|---:|---|',
    ...run.figures.map((figure) => `| ${row(figure).join(' | ')} |`),
  ];
  const drawn = drawingsOf(run.figures).map(({ title, name, bars }) => {
    const file = `${(run.peers === undefined ? '' : 'peer-') + slug(name)}.svg`;
    pictures.set(file, barChart(title, bars));
    return `![${cell(title)}](${PICTURES}/${file})`;
  });
  return `## ${title}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n\n${table.join('\n')}\n\n${drawn.join('\n\n')}\n`;
}

interface Drawing {
  readonly title: string;
  /** Of its file. */
  readonly name: string;
  readonly bars: readonly Bar[];
}

/** What was measured beside something has a picture of its own; the others of a case stand together, those of each unit. */
function drawingsOf(figures: readonly Figure[]): Drawing[] {
  const drawings = new Map<string, Drawing>();
  for (const figure of figures) {
    if (isBeside(figure)) {
      drawings.set(figure.name, { title: nameOf(figure), name: figure.name, bars: besideBars(figure) });
      continue;
    }
    const of = figure.case ?? figure.name;
    const key = `${of} in ${figure.unit}`;
    const bars = [...(drawings.get(key)?.bars ?? []), ...ownBars(figure, of)];
    drawings.set(key, { title: bars.length === 1 ? figure.name : of, name: key, bars });
  }
  return [...drawings.values()];
}

const isBeside = (figure: Figure): boolean => figure.ceiling !== undefined && figure.ratio !== undefined;

/** The figure, and its target where that has the same unit. */
function ownBars({ name, value, unit, target }: Figure, of: string): Bar[] {
  const label = name.startsWith(`${of} `) ? name.slice(of.length + 1) : name;
  const bar: Bar = { label, value, text: quantity(value, unit), kind: 'ours' };
  if (target?.of !== 'value') return [bar];
  return [bar, { label: 'target', value: target.than, text: targetText(target, unit), kind: 'other' }];
}

function besideBars({ value, ceiling, unit, rival, ratio }: Figure): Bar[] {
  const besides = rival?.name ?? 'beside it';
  const times = ratio === undefined ? '' : ` (${number(ratio)} ×)`;
  return [
    { label: 'Skep', value, text: quantity(value, unit) + times, kind: 'ours' },
    {
      label: rival === undefined ? 'ceiling' : besides,
      value: ceiling!,
      text: quantity(ceiling!, unit),
      kind: 'other',
    },
  ];
}

function row(figure: Figure): string[] {
  const hit = reached(figure);
  const time = (ms: number | undefined): string => (ms === undefined ? '' : duration(ms));
  const beside = figure.ceiling === undefined ? '' : number(figure.ceiling);
  return [
    cell(figure.name),
    quantity(figure.value, figure.unit),
    time(figure.p50Ms),
    time(figure.p99Ms),
    time(figure.p999Ms),
    figure.rival === undefined ? beside : `${beside} (${cell(besideText(figure.rival))})`,
    figure.ratio === undefined ? '' : `${number(figure.ratio)} ×`,
    figure.serverCores === undefined ? '' : number(figure.serverCores),
    figure.clientCores === undefined ? '' : number(figure.clientCores),
    cell(bottleneckText(figure)),
    targetOf(figure),
    hit === null ? '' : hit ? 'yes' : '**no**',
    String(figure.errors),
    cell(figure.note ?? ''),
  ];
}

/** The peer's, too, where there is one: it should have had as much of the machine. */
function bottleneckText({ bottleneck = '', rival }: Figure): string {
  return rival?.bottleneck === undefined ? bottleneck : `Skep: ${bottleneck}; the other: ${rival.bottleneck}`;
}

function besideText({ name, p50Ms, p99Ms, serverCores }: Rival): string {
  const times = [
    p50Ms === undefined ? '' : `p50 ${duration(p50Ms)}`,
    p99Ms === undefined ? '' : `p99 ${duration(p99Ms)}`,
  ];
  const cores = serverCores === undefined ? '' : `${number(serverCores)} cores`;
  return [name, ...times, cores].filter((part) => part !== '').join(', ');
}

function rangeText({ fsyncRange }: Run): string {
  return fsyncRange === undefined ? '' : `, median of the run's; ${number(fsyncRange[0])} to ${number(fsyncRange[1])}`;
}

const secondsText = ({ seconds }: Run['settings']): string =>
  typeof seconds === 'number' ? String(seconds) : "each case's own";

const hostsText = ({ hosts }: Run['settings']): string =>
  typeof hosts === 'number' ? String(hosts) : "the product's default, or as a figure says";

export function quietOf({ figures, quiet }: Run): Quiet {
  if (quiet !== undefined) return quiet;
  const watched = figures.flatMap(({ otherCores }) => otherCores ?? []);
  return { watched: watched.length, loud: watched.filter((cores) => cores > QUIET_MAX).length };
}

/** A page must not pass off what was measured beside others' work. */
function unquiet(run: Run): string[] {
  const { loud, watched } = quietOf(run);
  if (loud === 0) return [];
  return [`**not quiet**: while ${loud} of ${watched} figures were measured others had more than ${QUIET_MAX} cores`];
}

const targetOf = ({ target, unit }: Figure): string => (target === undefined ? '' : cell(targetText(target, unit)));

/** A cell of a table: one line, no bar of its own, no markup. */
const cell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\|<*_`[\]]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`));

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** A run's result as text for people and as an object for programs. */
import { reached, targetText, type Figure } from './figure.ts';
import { duration, number, quantity } from './format.ts';
import type { FsyncRate } from './fsync-rate.ts';
import type { Machine } from './machine.ts';
import { table } from './table.ts';

export interface Failure {
  readonly case: string;
  readonly message: string;
}

export interface RunReport {
  readonly machine: Machine;
  readonly fsync: FsyncRate;
  /** Raw hello of this run: median of all its runs, requests per second; null when no HTTP case ran. */
  readonly ceiling: number | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly figures: readonly Figure[];
  readonly failures: readonly Failure[];
}

/** Speed alone is no failure: a case fails when it breaks or when an answer was not the expected one. */
export function hasErrors({ figures, failures }: RunReport): boolean {
  return failures.length > 0 || figures.some(({ errors }) => errors > 0);
}

export function reportText(report: RunReport): string {
  const { machine, fsync, ceiling } = report;
  const lines = [
    `${machine.date}  Node ${machine.node}  commit ${machine.commit ?? 'unknown'}`,
    `${machine.cpu}, ${machine.cores} cores shared by server and load, ${machine.memoryGb} GB, Linux ${machine.kernel}`,
    `disk ${number(fsync.perSecond)} fsync/s (p50 ${duration(fsync.p50Ms)}, p99 ${duration(fsync.p99Ms)}) on ${machine.fileSystem}`,
  ];
  if (ceiling !== null) lines.push(`ceiling ${number(ceiling)} req/s: raw uWebSockets.js hello, median of this run`);
  return `${lines.join('\n')}\n\n${figureTable(report.figures)}${failureText(report.failures)}`;
}

function figureTable(figures: readonly Figure[]): string {
  if (figures.length === 0) return '';
  const columns = [
    { title: 'case' },
    { title: 'measured', align: 'right' },
    { title: 'p50', align: 'right' },
    { title: 'p99', align: 'right' },
    { title: 'p99.9', align: 'right' },
    { title: 'hello', align: 'right' },
    { title: 'ratio', align: 'right' },
    { title: 'server', align: 'right' },
    { title: 'load', align: 'right' },
    { title: 'bottleneck' },
    { title: 'target' },
    { title: 'reached' },
    { title: 'errors', align: 'right' },
    { title: 'note' },
  ] as const;
  return table(columns, figures.map(cells));
}

function cells(figure: Figure): string[] {
  const hit = reached(figure);
  return [
    figure.name,
    quantity(figure.value, figure.unit),
    time(figure.p50Ms),
    time(figure.p99Ms),
    time(figure.p999Ms),
    figure.ceiling === undefined ? '' : number(figure.ceiling),
    figure.ratio === undefined ? '' : number(figure.ratio),
    figure.serverCores === undefined ? '' : number(figure.serverCores),
    figure.clientCores === undefined ? '' : number(figure.clientCores),
    figure.bottleneck ?? '',
    figure.target === undefined ? '' : targetText(figure.target, figure.unit),
    hit === null ? '' : hit ? 'yes' : 'NO',
    String(figure.errors),
    figure.note ?? '',
  ];
}

const time = (ms: number | undefined): string => (ms === undefined ? '' : duration(ms));

function failureText(failures: readonly Failure[]): string {
  return failures.map((failure) => `\nFAILED ${failure.case}: ${failure.message}\n`).join('');
}

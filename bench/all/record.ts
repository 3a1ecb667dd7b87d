/** What a run of everything has measured so far, as it lies on the disk: each step whole, so that an interrupted run goes on where it was. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Run } from '#bench/document/page.ts';
import type { PeersReport } from '#bench/duel/report.ts';
import type { RunReport } from '#bench/kit/report.ts';
import { median } from '#bench/kit/stats.ts';

export interface Step {
  readonly kind: 'case' | 'peers';
  readonly name: string;
  readonly tookSeconds: number;
  /** Null: the step's process left none. */
  readonly report: RunReport | PeersReport | null;
  /** Why there is no report. */
  readonly failure?: string;
}

export interface Record {
  /** Of the working tree; a record of another commit, or of other settings, is not gone on with. */
  readonly commit: string | null;
  readonly settings: readonly string[];
  readonly steps: readonly Step[];
}

export const begun = (commit: string | null, settings: readonly string[]): Record => ({ commit, settings, steps: [] });

/** The record in `file` when it is of the same commit and settings; else null. */
export function resumed(file: string, { commit, settings }: Record): Record | null {
  if (!existsSync(file)) return null;
  const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record>;
  const same = found.commit === commit && JSON.stringify(found.settings) === JSON.stringify(settings);
  return same && Array.isArray(found.steps) ? (found as Record) : null;
}

/** Whole or not at all: the process may end at any time. */
export function save(file: string, record: Record): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** With this step, in place of an earlier one of its name. */
export function withStep(record: Record, step: Step): Record {
  return { ...record, steps: [...record.steps.filter(({ name }) => name !== step.name), step] };
}

/** Whether a step need not be run again: what failed is. */
export function isDone({ steps }: Record, name: string): boolean {
  const step = steps.find((one) => one.name === name);
  return step?.report != null && step.report.failures.length === 0;
}

/** The hot paths as one run, the peers as another: what the document shows. */
export function runsOf({ steps }: Pick<Record, 'steps'>): Run[] {
  const kinds = (['case', 'peers'] as const).map((kind) => steps.filter((step) => step.kind === kind));
  const [first, ...others] = kinds.flatMap((some) => merged(some) ?? []);
  if (first === undefined) return [];
  // Where nothing of a kind could be measured there is no run of it: its failures stand with those of the other kind.
  const untold = kinds.filter((some) => merged(some) === null).flatMap(failuresOf);
  return [{ ...first, failures: [...first.failures, ...untold] }, ...others];
}

const failuresOf = (steps: readonly Step[]): RunReport['failures'] =>
  steps.flatMap(({ name, failure }) => (failure === undefined ? [] : [{ case: name, message: failure }]));

function merged(steps: readonly Step[]): Run | null {
  const reports = steps.flatMap(({ report }) => report ?? []);
  const [first] = reports;
  if (first === undefined) return null;
  const ceilings = reports.flatMap(({ ceiling }) => ceiling ?? []);
  const middle = (of: (report: RunReport) => number): number => median(reports.map(of));
  const rates = reports.map(({ fsync }) => fsync.perSecond);
  return {
    machine: first.machine,
    fsync: {
      perSecond: median(rates),
      p50Ms: middle(({ fsync }) => fsync.p50Ms),
      p99Ms: middle(({ fsync }) => fsync.p99Ms),
    },
    fsyncRange: [Math.min(...rates), Math.max(...rates)],
    ceiling: ceilings.length === 0 ? null : median(ceilings),
    settings: first.settings,
    figures: reports.flatMap(({ figures }) => figures),
    failures: [...reports.flatMap(({ failures }) => failures), ...failuresOf(steps)],
    ...(reports.some((report) => 'peers' in report) ? peersOf(reports) : {}),
  };
}

/** Each peer once, though each step names Skep and its own. */
function peersOf(reports: readonly (RunReport | PeersReport)[]): Pick<PeersReport, 'peers' | 'skipped'> {
  const peerReports = reports.filter((report): report is PeersReport => 'peers' in report);
  const peers = new Map(peerReports.flatMap((report) => report.peers).map((peer) => [peer.name, peer]));
  return { peers: [...peers.values()], skipped: peerReports.flatMap((report) => report.skipped) };
}

/** What campaigns have counted, as it lies on the disk: one record for a release, to which each run adds. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Machine } from '#bench/kit/machine.ts';
import { union, type Covered } from '#test/kit/covered.ts';
import { COUNTED, type Counted, type Counts } from '#test/kit/tally.ts';

export interface Violation {
  readonly campaign: string;
  /** Repeats the run where the test takes a seed. */
  readonly seed: number;
  /** The failures, as the run printed them. */
  readonly failures: readonly string[];
  /** Written into the record by hand: what it was, and the test that shows it. */
  readonly mended?: string;
}

export interface CampaignRun {
  readonly name: string;
  readonly seconds: number;
  /** How often its files ran. */
  readonly times: number;
  readonly tests: number;
  readonly counts: Counts;
  /** Which cells of its table it covered; absent where it has none. */
  readonly covered?: Covered;
}

export interface Run {
  readonly machine: Machine;
  readonly fsyncPerSecond: number;
  readonly campaigns: readonly CampaignRun[];
  readonly violations: readonly Violation[];
}

export interface CampaignRecord {
  readonly release: string;
  readonly runs: readonly Run[];
}

/** Counts, added up. */
export function sumOf(all: readonly Counts[]): Counts {
  const sum: Partial<Record<Counted, number>> = {};
  for (const counts of all)
    for (const what of Object.keys(COUNTED) as Counted[])
      if (counts[what] !== undefined) sum[what] = (sum[what] ?? 0) + counts[what];
  return sum;
}

/** Cells that runs of one campaign have covered together; null where it has no table. */
export function coveredBy(runs: readonly CampaignRun[]): Covered | null {
  const all = runs.flatMap((run) => run.covered ?? []);
  return all.length === 0 ? null : union(all);
}

/** The lines that tests have written, added up; a line that is not whole was cut by a kill and does not count. */
export function countsIn(text: string): Counts {
  const lines = text.split('\n').slice(0, -1);
  return sumOf(lines.map((line) => JSON.parse(line) as Counts));
}

export function recordOf(text: string): CampaignRecord {
  const found = JSON.parse(text) as Partial<CampaignRecord>;
  if (typeof found.release !== 'string' || !Array.isArray(found.runs))
    throw new Error('this is not the record of a campaign: it has no release and runs');
  return found as CampaignRecord;
}

/** Adds a run to the record in a file, whole or not at all. One of another release is left as it is, and refused. */
export function addRun(file: string, release: string, run: Run): void {
  const record = existsSync(file) ? recordOf(readFileSync(file, 'utf8')) : { release, runs: [] };
  if (record.release !== release)
    throw new Error(`${file} is the record of release ${record.release}, and this is ${release}: name another file`);
  writeFileSync(`${file}.new`, `${JSON.stringify({ release, runs: [...record.runs, run] }, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

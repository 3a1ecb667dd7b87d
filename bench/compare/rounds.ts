/** Base and branch in turns, each run a process of its own, and what their figures say together. */
import { table } from '#bench/kit/table.ts';
import { number, quantity, type Unit } from '#bench/kit/format.ts';
import { median } from '#bench/kit/stats.ts';
import type { RunReport } from '#bench/kit/report.ts';
import { intervalOf, speedRatio, verdictOf, type Interval, type Sample, type Verdict } from './verdict.ts';

export type Sides = 'base' | 'branch';

/** One run of one case on one side. */
export type RunCase = (side: Sides, name: string) => Promise<Pick<RunReport, 'figures' | 'failures'>>;

export interface Compared {
  readonly figure: string;
  readonly unit: Unit;
  readonly samples: readonly Sample[];
  readonly interval: Interval;
  readonly verdict: Verdict;
  readonly errors: number;
}

export interface Comparison {
  readonly compared: readonly Compared[];
  /** Cases that could not be compared, with the reason. */
  readonly failures: readonly { readonly case: string; readonly message: string }[];
}

export interface Plan {
  readonly pairs: number;
  /** A share: 0.05. */
  readonly threshold: number;
}

/** The side that goes first changes from pair to pair. A case that fails on either side is reported and the next one runs. */
export async function compareCases(names: readonly string[], run: RunCase, plan: Plan): Promise<Comparison> {
  const compared: Compared[] = [];
  const failures: { case: string; message: string }[] = [];
  for (const name of names)
    try {
      compared.push(...(await compareCase(name, run, plan)));
    } catch (error) {
      failures.push({ case: name, message: (error as Error).message });
    }
  return { compared, failures };
}

async function compareCase(name: string, run: RunCase, { pairs, threshold }: Plan): Promise<Compared[]> {
  const found = new Map<string, { unit: Unit; samples: Sample[]; errors: number }>();
  for (let i = 0; i < pairs; i++) {
    const order: readonly Sides[] = i % 2 === 0 ? ['base', 'branch'] : ['branch', 'base'];
    const measured = { base: [], branch: [] } as Record<Sides, RunReport['figures']>;
    for (const side of order) measured[side] = figuresOf(side, await run(side, name));
    for (const branch of measured.branch) {
      const base = measured.base.find((figure) => figure.name === branch.name);
      // A figure that only one side has is new, or gone: nothing to compare.
      if (base === undefined) continue;
      const entry = found.get(branch.name) ?? { unit: branch.unit, samples: [], errors: 0 };
      entry.samples.push({ base: base.value, branch: branch.value });
      entry.errors += base.errors + branch.errors;
      found.set(branch.name, entry);
    }
  }
  if (found.size === 0) throw new Error('base and branch have no figure of it in common');
  return [...found].map(([figure, { unit, samples, errors }]) => {
    const interval = intervalOf(samples.map((sample) => speedRatio(sample, unit)));
    return { figure, unit, samples, interval, verdict: verdictOf(interval, threshold), errors };
  });
}

function figuresOf(side: Sides, { figures, failures }: Pick<RunReport, 'figures' | 'failures'>): RunReport['figures'] {
  if (failures.length > 0) throw new Error(`the ${side} failed: ${failures[0]!.message}`);
  return figures;
}

/** Exit code 1: slower beyond the threshold, a wrong answer, or a case that could not be compared. */
export function isBad({ compared, failures }: Comparison): boolean {
  return failures.length > 0 || compared.some(({ verdict, errors }) => verdict === 'slower' || errors > 0);
}

export function comparisonText({ compared, failures }: Comparison): string {
  const columns = [
    { title: 'figure' },
    { title: 'base', align: 'right' },
    { title: 'branch', align: 'right' },
    { title: 'speed', align: 'right' },
    { title: '95 %' },
    { title: 'verdict' },
    { title: 'errors', align: 'right' },
  ] as const;
  const rows = compared.map(({ figure, unit, samples, interval, verdict, errors }) => [
    figure,
    quantity(median(samples.map(({ base }) => base)), unit),
    quantity(median(samples.map(({ branch }) => branch)), unit),
    `${number(interval.ratio)} ×`,
    `${number(interval.low)} – ${number(interval.high)}`,
    verdict,
    String(errors),
  ]);
  const lines = failures.map((failure) => `FAILED ${failure.case}: ${failure.message}\n`);
  return `${rows.length === 0 ? '' : table(columns, rows)}${lines.join('')}`;
}

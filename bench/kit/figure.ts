/** One measured figure and what it is held against. */
import { duration, number, type Unit } from './format.ts';
import { median } from './stats.ts';
import type { Busy } from './watch.ts';

/** One alternating pair: the ceiling and the case in the same minute on the same machine. */
export interface Pair {
  readonly ceiling: number;
  readonly value: number;
}

export interface Figure extends Busy {
  /** Case and, where it measures several things, which. */
  readonly name: string;
  /** Which case: figures of one are shown together. */
  readonly case?: string;
  readonly unit: Unit;
  /** A rate, or a time or size: the median of the runs. */
  readonly value: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly p999Ms?: number;
  /** Of the raw hello in the same run: median of its runs, and median of the pairs' ratios. */
  readonly ceiling?: number;
  readonly ratio?: number;
  readonly pairs?: readonly Pair[];
  /** Every single run, where `value` is their median. */
  readonly runs?: readonly number[];
  readonly errors: number;
  readonly target?: Target;
  readonly note?: string;
  /** What `ceiling` is, when it is not the raw hello. */
  readonly rival?: Rival;
}

/** Its times, and what was busy meanwhile, where it was measured over HTTP. */
export interface Rival extends Busy {
  readonly name: string;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly p999Ms?: number;
}

/** What a figure should reach: at least (rates, ratios) or at most (times, sizes). */
export interface Target {
  readonly of: 'ratio' | 'value' | 'p50Ms' | 'p99Ms';
  readonly bound: 'min' | 'max';
  readonly than: number;
  /** What is hoped for beyond it. */
  readonly aim?: number;
}

/** Median of the pairs' ratios: the machine's own drift moves both sides of a pair. */
export function ratioOf(pairs: readonly Pair[]): number {
  return median(pairs.map(({ value, ceiling }) => value / ceiling));
}

/** Whether the target is reached; null when there is none. Errors reach nothing. */
export function reached(figure: Figure): boolean | null {
  const { target } = figure;
  if (target === undefined) return null;
  const measured = figure[target.of];
  if (measured === undefined || figure.errors > 0) return false;
  return target.bound === 'min' ? measured >= target.than : measured <= target.than;
}

/** `≥ 0.5 ×`, `p50 ≤ 1.4 ms`, `≤ 400 MB`. */
export function targetText(target: Target, unit: Unit): string {
  const sign = target.bound === 'min' ? '≥' : '≤';
  if (target.of === 'ratio') {
    const aim = target.aim === undefined ? '' : ` (aim ${number(target.aim)})`;
    return `${sign} ${number(target.than)} ×${aim}`;
  }
  if (target.of === 'p99Ms') return `p99 ${sign} ${duration(target.than)}`;
  if (target.of === 'p50Ms') return `p50 ${sign} ${duration(target.than)}`;
  return `${sign} ${unit === 'ms' ? duration(target.than) : `${number(target.than)} ${unit}`}`;
}

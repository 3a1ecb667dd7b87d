/** What alternating pairs of base and branch say about a figure: a ratio of speeds, its interval, and a verdict. */
import type { Unit } from '#bench/kit/format.ts';

/** One alternating pair of the same figure. */
export interface Sample {
  readonly base: number;
  readonly branch: number;
}

export interface Interval {
  /** Speed of the branch over that of the base: below 1 is slower. */
  readonly ratio: number;
  /** 95 %; without end on both sides when there is only one pair. */
  readonly low: number;
  readonly high: number;
}

export type Verdict = 'slower' | 'faster' | 'same' | 'unsure';

/** Two-sided 95 % points of Student's t by degrees of freedom, from 1; beyond them the last is near enough. */
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Times and sizes are better when they are smaller. */
export function speedRatio({ base, branch }: Sample, unit: Unit): number {
  return unit === 'ms' || unit === 'MB' ? base / branch : branch / base;
}

/**
 * Geometric mean of the pairs' ratios with Student's interval of their logarithms. A bootstrap of five pairs is too narrow: it
 * only ever draws the five again. Throws on no pair or a ratio that is no positive number.
 */
export function intervalOf(ratios: readonly number[]): Interval {
  if (ratios.length === 0 || !ratios.every((ratio) => ratio > 0 && Number.isFinite(ratio)))
    throw new Error(`ratios are positive numbers, not ${ratios.join(', ') || 'none'}`);
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  const ratio = Math.exp(mean);
  const freedom = logs.length - 1;
  if (freedom === 0) return { ratio, low: 0, high: Infinity };
  const variance = logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / freedom;
  const half = STUDENT[Math.min(freedom, STUDENT.length) - 1]! * Math.sqrt(variance / logs.length);
  return { ratio, low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

/** `threshold` is a share: 0.05. `unsure`: the interval is too wide to show a change of that size. */
export function verdictOf({ ratio, low, high }: Interval, threshold: number): Verdict {
  if (high < 1 && ratio < 1 - threshold) return 'slower';
  if (low > 1 && ratio > 1 + threshold) return 'faster';
  return low < 1 - threshold || high > 1 + threshold ? 'unsure' : 'same';
}

/** Welch's t of two samples: whether their means differ by more than their noise (as dudect does for the time of secrets). */
import { percentile } from './stats.ts';

/** From here on a difference is taken for one (Test Vector Leakage Assessment). */
export const T_MAX = 4.5;

/** Pauses of the collector and of the machine hit one call in many and hide all else: calls beyond this percentile of both samples are left out. */
const KEPT_PERCENT = 95;

/** `(mean a − mean b) / √(var a / n a + var b / n b)`. Throws when a sample has fewer than two values. */
export function welchT(a: readonly number[], b: readonly number[]): number {
  const [one, other] = [momentsOf(a), momentsOf(b)];
  const noise = Math.sqrt(one.variance / a.length + other.variance / b.length);
  const difference = one.mean - other.mean;
  if (noise === 0) return difference === 0 ? 0 : Math.sign(difference) * Infinity;
  return difference / noise;
}

/** The same without the calls that a pause hit; the bound is one for both, so that it cannot make a difference. */
export function croppedT(a: readonly number[], b: readonly number[]): number {
  const most = percentile([...a, ...b], KEPT_PERCENT);
  const within = (values: readonly number[]): number[] => values.filter((value) => value <= most);
  return welchT(within(a), within(b));
}

function momentsOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  if (values.length < 2) throw new Error('a variance needs two values');
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}

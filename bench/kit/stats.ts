/** Order statistics over small samples. */

/** The middle value, or the mean of the two middle ones. Throws on an empty sample. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The p-th percentile (0–100), interpolated between neighbours. Throws on an empty sample. */
export function percentile(values: readonly number[], p: number): number {
  if (values.length === 0) throw new Error('no values to take a percentile of');
  const sorted = Float64Array.from(values).sort();
  const place = ((sorted.length - 1) * p) / 100;
  const below = Math.floor(place);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (place - below);
}

/** Below so many one of them would be a thousandth: its percentile says nothing. */
const P999_OF = 1000;

/** Of milliseconds; p99.9 only where there are enough of them. */
export function timesOf(took: readonly number[]): {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms?: number;
} {
  const times = { p50Ms: percentile(took, 50), p99Ms: percentile(took, 99) };
  return took.length < P999_OF ? times : { ...times, p999Ms: percentile(took, 99.9) };
}

interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** Of runs that have percentiles of their own: the median of each. */
export function mediansOf(runs: readonly Times[]): Times {
  return {
    p50Ms: median(runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
    p999Ms: median(runs.map(({ p999Ms }) => p999Ms)),
  };
}

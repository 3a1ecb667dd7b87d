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

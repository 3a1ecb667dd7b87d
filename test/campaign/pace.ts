/** How a time is shared among campaigns: each runs once, and what is left goes to those that have had the least of it. */

export interface Taken {
  /** How often it has run. */
  readonly times: number;
  /** Milliseconds of all its runs. */
  readonly spentMs: number;
}

/** The campaign that runs next; null: that was all. `forMs`: milliseconds for all of them together, null where each runs once. */
export function nextOf<T extends Taken>(campaigns: readonly T[], forMs: number | null): T | null {
  const first = campaigns.find(({ times }) => times === 0);
  if (first !== undefined) return first;
  const leftMs = (forMs ?? 0) - campaigns.reduce((sum, { spentMs }) => sum + spentMs, 0);
  // A run that would end far behind the time is left out.
  const fits = campaigns.filter(({ times, spentMs }) => spentMs / times / 2 < leftMs);
  return fits.toSorted((a, b) => a.spentMs - b.spentMs)[0] ?? null;
}

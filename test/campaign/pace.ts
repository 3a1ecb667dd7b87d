/** How a time is shared among campaigns: each runs at least once, and again while its part of the time is not used up. */

export interface Shared {
  /** Milliseconds for each campaign. */
  readonly shareMs: number | null;
}

/** Whether a campaign runs once more. `spentMs`: what it has taken so far, `times`: how often it has run. */
export function runsAgain({ shareMs }: Shared, spentMs: number, times: number): boolean {
  if (times === 0) return true;
  if (shareMs === null) return false;
  // A run that would end far behind the time is left out.
  return spentMs + spentMs / times / 2 < shareMs;
}

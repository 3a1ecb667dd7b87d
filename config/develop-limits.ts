/** Numbers of `skep dev` and `skep deploy` (docs/contract/platform.md §1.9, §1.10). */
import { productLimits } from './product-limits.ts';

export const developLimits = {
  /** How often `skep dev` looks at the files; one look costs a stat for each. */
  lookMs: 250,
  /** Files that it looks at, over all folders: the checkouts of several products. */
  watchedFilesMax: 4 * productLimits.filesMax,
  /** Changed files that a message of `skep dev` names. */
  namedFilesMax: 5,
  /** Revisions of one product that deployers have sent and may plan: the next one forgets the oldest. */
  sentMax: 16,
  /** How often `skep deploy` repeats an ask that the node has no room for, and how long it waits at most before each. */
  askTries: 20,
  askWaitMsMax: 10_000,
} as const;

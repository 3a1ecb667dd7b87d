/** Numbers of `skep dev` and `skep deploy` (docs/contract/platform.md §1.9, §1.10). */
import { productLimits } from './product-limits.ts';

export const developLimits = {
  /** How often `skep dev` looks at the files; one look costs a stat for each. */
  lookMs: 250,
  /** Files that it looks at, over all folders: the checkouts of several products. */
  watchedFilesMax: 4 * productLimits.filesMax,
  /** Changed files that a message of `skep dev` names. */
  namedFilesMax: 5,
} as const;

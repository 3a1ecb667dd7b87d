/**
 * How often a campaign repeats. `npm test` runs a few rounds of each, so that it stays short; `npm run test:ci` runs the files that
 * import this one again with more (vitest.config.ts); SKEP_CRASH_ROUNDS says a number of one's own for all of them.
 */
interface Rounds {
  /** In `npm test`. */
  readonly suite: number;
  /** In `npm run test:ci`. */
  readonly ci: number;
}

/** Whether this is the longer run. */
export const isLongRun = process.env['SKEP_TEST_RUN'] === 'ci';

/** `setting`: a variable of the environment that says a number for this campaign alone. */
export function rounds({ suite, ci }: Rounds, setting = 'SKEP_CRASH_ROUNDS'): number {
  const wish = process.env[setting];
  if (wish === undefined) return isLongRun ? ci : suite;
  const count = Number(wish);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`${setting} takes a whole number from 1 on, not ${wish}`);
  return count;
}

/**
 * How often a campaign repeats. `npm test` runs a few rounds of each, so that it stays short; `npm run test:ci` runs the files that
 * import this one again with more (vitest.config.ts); `npm run campaign` runs them for a time, or with fifty times as many for hours (test/campaign/);
 * SKEP_CRASH_ROUNDS says a number of one's own for all of them.
 */
import { TALLY_FILE } from './tally.ts';

interface Rounds {
  /** In `npm test`. */
  readonly suite: number;
  /** In `npm run test:ci`. */
  readonly ci: number;
}

const CAMPAIGN_TIMES = 50;
const run = process.env['SKEP_TEST_RUN'];

/** Whether this is one of the longer runs. */
export const isLongRun = run === 'ci' || run === 'campaign';
/** Whether this is the longest one, which leaves nothing out. */
export const isCampaign = run === 'campaign';

/** `setting`: a variable of the environment that says a number for this campaign alone. */
export function rounds({ suite, ci }: Rounds, setting = 'SKEP_CRASH_ROUNDS'): number {
  const wish = process.env[setting];
  if (wish === undefined) return run === 'campaign' ? ci * CAMPAIGN_TIMES : isLongRun ? ci : suite;
  const count = Number(wish);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`${setting} takes a whole number from 1 on, not ${wish}`);
  return count;
}

/** No run of a campaign takes so long. */
const CAMPAIGN_MS_MAX = 36_000_000;

/** A test's own time. A campaign does not bound it: how long rounds take beside other work says nothing about what they look for. */
export const within = (timeoutMs: number): { readonly timeout: number } => ({
  timeout: process.env[TALLY_FILE] === undefined ? timeoutMs : CAMPAIGN_MS_MAX,
});

/**
 * The seed of what tests generate. `npm test` and `npm run test:ci` take the one of the release, so that two runs of a commit try
 * the same inputs: a commit that passed does not fail in the next run for an input that it has not met. `npm run campaign` draws
 * a new one for each pass, which is where new inputs are met; what it finds becomes a test. SKEP_TEST_SEED says one of one's own.
 */
import { crc32 } from 'node:zlib';
import { skepVersion } from '#runtime/version.ts';

export const SEED_VARIABLE = 'SKEP_TEST_SEED';

/** A whole number from 0 to 2^31 - 1, the same in all files of a run. */
export function testSeed(): number {
  const wish = process.env[SEED_VARIABLE];
  if (wish === undefined) return crc32(skepVersion()) >>> 1;
  const seed = Number(wish);
  if (!Number.isSafeInteger(seed) || seed < 0 || seed >= 2 ** 31)
    throw new Error(`${SEED_VARIABLE} takes a whole number from 0 to ${2 ** 31 - 1}, not ${wish}`);
  return seed;
}

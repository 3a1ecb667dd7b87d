/** The fast tier answers as jq does, or not at all: generated programs and inputs in both tiers (DESIGN §7). */
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { inputs, programs } from './programs.ts';
import { fast, reference } from './two-tiers.ts';

/** More by hand: SKEP_JQ_RUNS=50000. */
const RUNS = Number(process.env['SKEP_JQ_RUNS'] ?? 400);

test('equal results, equal errors, equal messages', { timeout: 60_000 + RUNS * 20 }, async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(programs, inputs, async (program, input) => {
      const mine = fast(program, input);
      if (mine === null) return;
      answered++;
      expect(mine).toEqual(await reference(program, input));
    }),
    { numRuns: RUNS },
  );
  // A tier that is never sure proves nothing.
  expect(answered).toBeGreaterThan(RUNS / 3);
});

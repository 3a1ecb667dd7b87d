/**
 * Hostile inputs for each parser that callers, peers or files reach, guided by the blocks that they reach (README.md). SKEP_FUZZ_INPUTS says how many for each
 * target, SKEP_TEST_SEED repeats a round, SKEP_FUZZ_TARGET names one target alone.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { rounds } from '#test/kit/rounds.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { testSeed } from '#test/kit/seed.ts';
import { Coverage } from './coverage.ts';
import { FOUND } from './found.ts';
import type { Target } from './target.ts';

// Before any module under test is loaded: blocks are counted in code that is compiled from here on.
const coverage = new Coverage();
const { fuzz } = await import('./fuzzer.ts');
const { TARGETS } = await import('./targets.ts');

/** A pass of the campaign is a longer one; with 100 all targets together take about one minute. */
const USUAL = process.env[TALLY_FILE] === undefined ? 60 : 3000;
const INPUTS = rounds({ suite: USUAL, ci: USUAL }, 'SKEP_FUZZ_INPUTS');
/** The same inputs each time, but in the campaign. */
const SEED = testSeed();
/** What is kept of inputs and of code; a reader that keeps each of its inputs is over it in a campaign. */
const GROWTH_MB_MAX = 32;
const ONLY = process.env['SKEP_FUZZ_TARGET'];
const names = Object.keys(TARGETS).filter((name) => ONLY === undefined || name === ONLY);

/** What has failed once is where others fail. */
const withFound = (target: Target): Target => ({
  ...target,
  seeds: [
    ...target.seeds,
    ...FOUND.filter((one) => one.target === target.name).map(({ input }) => Buffer.from(input, 'latin1')),
  ],
});

const inputsOf = ({ costs = 1 }: Target): number => Math.ceil(INPUTS / costs);

afterAll(() => coverage.stop());

describe(`${INPUTS} inputs each, seed ${SEED}`, () => {
  test.each(names)('%s', { timeout: 60_000 + INPUTS * 200 }, async (name) => {
    const began = performance.now();
    const target = withFound(await TARGETS[name]!());
    const { tried, blocks, kept, grownMb, failure } = await fuzz(target, {
      seed: SEED,
      inputs: inputsOf(target),
      coverage,
    });
    tally({ inputs: tried, blocks });
    console.log(
      `${name}: ${tried} inputs, ${blocks} blocks, ${kept} kept, grew ${grownMb.toFixed(1)} MB, ${Math.round(performance.now() - began)} ms`,
    );
    expect(failure).toBeNull();
    expect(grownMb).toBeLessThanOrEqual(GROWTH_MB_MAX);
  });
});

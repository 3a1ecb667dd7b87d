/** The fast tier answers as jq does, or not at all: generated programs and inputs in both tiers (docs/decisions/languages.md). */
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { inputs, keyed, programs } from './programs.ts';
import { compiles, fast, isProgram, reference } from './two-tiers.ts';

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

test('what the fast tier compiles is a program to jq, too', { timeout: 60_000 + RUNS * 20 }, async () => {
  let compiled = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(keyed, programs), async (program) => {
      if (!compiles(program)) return;
      compiled++;
      expect(await isProgram(program), program).toBe(true);
    }),
    { numRuns: RUNS },
  );
  expect(compiled).toBeGreaterThan(RUNS / 4);
});

test.each([
  ['@html, @html "<\\(.)>", @sh, @uri, ([.] | @csv, @tsv)', `'"<>&\u0000\u0085`],
  ['trim, ltrim, rtrim', '\u0085\u00a0\u1680\u2003\u2028\u202f\u205f\u3000 \ta\u3000\u2009\u0085'],
  ['trim, ltrim, rtrim', '\u200b\ufeff\u0000 a \u0000\ufeff\u180e'],
])('both tiers are certain of %s', async (program, input) => {
  const mine = fast(program, input);
  expect(mine).not.toBeNull();
  expect(mine).toEqual(await reference(program, input));
});

test.each([
  ['reduce range(10000) as $i (null; [.])'],
  ['reduce range(10000) as $i (null; {a: .}) | tojson | length'],
  ['reduce range(10001) as $i ("1"; "[" + . + "]") | fromjson | length'],
  ['[range(10001) | 0] as $path | try getpath($path) catch .'],
  ['error("a\\u0000b")'],
])('what jq has an end for is left to jq: %s', (program) => {
  expect(fast(program, null)).toBeNull();
});

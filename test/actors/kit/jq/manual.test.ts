/**
 * What the jq 1.8 manual shows, a line each: program, input, answer (after `!` the message of a failure). The fast tier compiles
 * nine in ten of the programs, and whatever it answers is that.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Json } from '#actors/kit/jq/value.ts';
import { compiles, fast, reference, type Said } from './two-tiers.ts';

const EXAMPLES = readFileSync(new URL('manual.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [program: string, input: string, answer: string])
  .map(([program, input, answer]) => ({ program, input: JSON.parse(input) as Json, said: saidOf(answer) }));

function saidOf(answer: string): Said {
  return answer.startsWith('! ')
    ? { kind: 'failed', message: answer.slice(2) }
    : { kind: 'body', value: JSON.parse(answer) as unknown };
}

test('at least nine in ten compile in the fast tier', () => {
  const known = EXAMPLES.filter(({ program }) => compiles(program)).length;
  const share = known / EXAMPLES.length;
  console.log(
    `jq manual: ${known} of ${EXAMPLES.length} programs compile in the fast tier (${(share * 100).toFixed(1)} %)`,
  );
  expect(EXAMPLES.length).toBeGreaterThan(300);
  expect(share).toBeGreaterThanOrEqual(0.9);
});

test('whatever the fast tier answers is the answer', () => {
  const wrong = EXAMPLES.filter(({ program, input, said }) => {
    const mine = fast(program, input);
    return mine !== null && JSON.stringify(mine) !== JSON.stringify(said);
  });
  expect(wrong).toEqual([]);
});

test('jq itself answers so', { timeout: 60_000 }, async () => {
  for (const { program, input, said } of EXAMPLES) expect(await reference(program, input), program).toEqual(said);
});

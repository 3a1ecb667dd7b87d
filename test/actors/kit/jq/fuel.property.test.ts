/**
 * Every builtin, format and operator, fed with what it made before: what it makes is never more than what it burned, and a small tank
 * stops whatever grows. The lists are those of the compiler, so that a new builtin is here by itself.
 */
import { expect, test } from 'vitest';
import { fuelled, fuelLeft, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { OPERATORS } from '#actors/kit/jq/arithmetic.ts';
import { BUILTINS } from '#actors/kit/jq/builtins.ts';
import { JqError, Unsure } from '#actors/kit/jq/faults.ts';
import { FORMATS } from '#actors/kit/jq/format.ts';
import { preludeSignatures } from '#actors/kit/jq/prelude.ts';
import { Program } from '#actors/kit/jq/program.ts';
import { SPECIALS } from '#actors/kit/jq/special.ts';
import type { Json } from '#actors/kit/jq/value.ts';
import { rounds } from '#test/kit/rounds.ts';

const TANK = 5000;
const ROUNDS = rounds({ suite: 12, ci: 24 });
/** Characters and items that a unit may make: a text burns one for sixteen characters, a fixed shape one for some members. */
const MADE_PER_UNIT = 32;

const SEEDS: readonly Json[] = [
  `'"<>&\\\t\u0000`,
  'aB c,é 😀',
  'YQ==',
  2,
  ['a', "'", 'b'],
  [3, 1, 2],
  [
    [1, 2],
    [3, [4]],
  ],
  { a: 'x', b: { c: [1] } },
  [{ key: 'k', value: 'v' }],
];
const ARGUMENTS = ['.', '"a"', '""', '2', '["a"]', '[0]', '.[]?', '..', '., .', '"(?<x>[a-z])"', '"g"', '3000'];
/** What a program makes of the result before it comes again. */
const WRAPS = ['.', '[., .]', '{a: ., b: .}', '"\\(.)\\(.)"', '[.[]?, .[]?]', 'tojson', 'join(",")'];

function callsOf(signature: string): string[] {
  const [name, arity] = signature.split('/') as [string, string];
  if (arity === '0') return [name];
  return ARGUMENTS.map(
    (_, at) =>
      `${name}(${Array.from({ length: Number(arity) }, (_1, i) => ARGUMENTS[(at + 5 * i) % ARGUMENTS.length]).join('; ')})`,
  );
}

const CALLS: readonly string[] = [
  ...[...BUILTINS.keys(), ...SPECIALS.keys(), ...preludeSignatures()].flatMap(callsOf),
  ...[...FORMATS.keys()].flatMap((name) => [`@${name}`, `[.] | @${name}`, `@${name} "<\\(.)\\(.)>"`]),
  ...Object.keys(OPERATORS).flatMap((sign) => [`. ${sign} .`, `. ${sign} 3`, `. ${sign} "a"`]),
  ...['=', '|=', '+=', '*=', '//='].map((sign) => `(.[]?, .a?) ${sign} .`),
  '.[1:]',
  '.[-5:]',
  '[..]',
  '[paths]',
];

/** Characters and items of a value that were not in those before: what is shared was made once. */
function sizeOf(value: Json, known: Set<unknown>): number {
  if (typeof value === 'string') return known.has(value) ? 0 : (known.add(value), value.length);
  if (typeof value !== 'object' || value === null || known.has(value)) return 0;
  known.add(value);
  const items = Object.entries(value);
  return items.reduce((sum, [, item]) => sum + 1 + sizeOf(item, known), 1);
}

type End = 'steady' | 'stopped' | 'failed';

/** Feeds a program its own output; tells how that ended, and the worst of what it made for what it burned. */
function feed(program: Program, seed: Json, wrap: Program): { readonly end: End; readonly worst: number } {
  const known = new Set<unknown>();
  sizeOf(seed, known);
  let at = seed;
  let worst = 0;
  const step = (of: Program): boolean => {
    const before = fuelLeft();
    const outcome = of.run(at);
    const burned = before - fuelLeft();
    if (outcome.kind === 'error') return false;
    const made = sizeOf(outcome.results, known);
    worst = Math.max(worst, (made - MADE_PER_UNIT) / burned);
    at = outcome.results.length === 1 ? outcome.results[0]! : outcome.results;
    return true;
  };
  try {
    const end = fuelled(TANK, (): End => {
      for (let round = 0; round < ROUNDS; round++) if (!step(program) || !step(wrap)) return 'failed';
      return 'steady';
    });
    return { end, worst };
  } catch (error) {
    if (error instanceof OutOfFuel) return { end: 'stopped', worst };
    if (error instanceof Unsure || error instanceof JqError) return { end: 'failed', worst };
    throw error;
  }
}

function compiled(source: string): Program | null {
  try {
    return Program.compile(source);
  } catch (error) {
    if (error instanceof Unsure) return null;
    throw error;
  }
}

test('no builtin makes more than it burns, whatever it is fed', { timeout: 120_000 }, () => {
  const ends: Record<End, number> = { steady: 0, stopped: 0, failed: 0 };
  const ran = new Set<string>();
  const dear: string[] = [];
  const wraps = WRAPS.map((wrap) => Program.compile(wrap));
  for (const call of CALLS) {
    const program = compiled(call);
    if (program === null) continue;
    for (const seed of SEEDS) {
      wraps.forEach((wrap, i) => {
        const { end, worst } = feed(program, seed, wrap);
        ends[end]++;
        if (end !== 'failed') ran.add(call.replace(/\(.*/s, ''));
        if (worst > MADE_PER_UNIT)
          dear.push(`${call} | ${WRAPS[i]} of ${JSON.stringify(seed)}: ${worst.toFixed(0)} a unit`);
      });
    }
  }
  expect(dear).toEqual([]);
  expect(ends.stopped).toBeGreaterThan(1000);
  expect(ran.size).toBeGreaterThan(100);
});

test.each([
  [`reduce range(30) as $i ("'"; @sh)|length`],
  [`reduce range(62) as $i ("a"; @base64)|length`],
  [`reduce range(30) as $i ("\\""; [.]|@csv)|length`],
  [`reduce range(30) as $i ("\\\\"; [.]|@tsv)|length`],
  [`reduce range(60) as $i ("<"; [.,.]|tojson)|length`],
  [`reduce range(60) as $i ([1]; [.,.])|tojson|length`],
  [`"a"*2000000|length`],
  [`"a"*200000|contains("a"*50000+"b"+"a"*50000)`],
  [`" "*2000000+"x"|trim|length`],
  [`("a"*4000)|[match("(?:a+b)|a";"g")]|length`],
  [`"x"|test("(?:a{99}b{99}){9}")`],
  [`last(range(1000000)|(1,1,1,1,1,1))`],
])('a tank of a host stops %s', (source) => {
  expect(() => Program.compile(source).answer(null, TANK)).toThrow(OutOfFuel);
});

test('a text that no host should hold is left to jq, whatever fuel there is', () => {
  expect(() => Program.compile('"a"*20000000|length').answer(null, 1e9)).toThrow(
    expect.objectContaining({ why: 'a text that is too long' }),
  );
});

/**
 * What expressions of statements cost: every function over texts, fed with what it made before, takes and makes no more than it burns.
 * The list is that of the compiler, so that a new function is here by itself.
 */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FUNCTIONS } from '#actors/engine/sql/expression/functions.ts';
import type { Signature } from '#actors/engine/sql/expression/signature.ts';
import { SqlFault } from '#actors/engine/sql/fault.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import type { SqlType } from '#actors/engine/sql/type.ts';
import { explicit } from '#actors/engine/sql/value/cast.ts';
import { fuelled, fuelLeft, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { rows, run } from './kit.ts';

const TANK = 20_000;
const ROUNDS = 24;
/** Characters that a unit may take and make, and those that are in the price of a row. */
const CHARS_PER_UNIT = 40;
const FREE_CHARS = 500;

const SEEDS = ['a', 'aB c,é', 'ŉΐß', '😀a', '   x   ', '1'];
const NUMBERS = [3, -2, 50_000, limits.sql.charsMax];

function others(type: SqlType, value: string): readonly unknown[] {
  if (type === 'integer') return NUMBERS;
  return type === 'text' ? [value, 'a', `${value}${value}`, ''] : ['2024-01-01T00:00:00.000Z'];
}

const charsOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

type End = 'steady' | 'stopped' | 'refused';

/** Feeds a function its own output, its other arguments by turns; how that ended, and the worst of what it did for a unit. */
function feed(
  { takes, compute }: Signature,
  seed: string,
  turn: number,
): { readonly end: End; readonly worst: number } {
  let value = seed;
  let worst = 0;
  const round = (at: number): void => {
    const rest = takes.slice(1).map((type, i) => {
      const choices = others(type, value);
      return choices[(at * turn + i) % choices.length];
    });
    const before = fuelLeft();
    const made = compute(value, ...rest);
    const done = charsOf([value, ...rest, made]) - FREE_CHARS;
    if (done > 0) worst = Math.max(worst, done / (before - fuelLeft()));
    value = typeof made === 'string' && made !== '' ? `${made}${value}` : value;
  };
  try {
    fuelled(TANK, () => {
      for (let at = 0; at < ROUNDS; at++) round(at);
    });
    return { end: 'steady', worst };
  } catch (error) {
    if (error instanceof OutOfFuel) return { end: 'stopped', worst };
    if (error instanceof SqlFault) return { end: 'refused', worst };
    throw error;
  }
}

test('no function takes or makes more than it burns, whatever it is fed', () => {
  const ends: Record<End, number> = { steady: 0, stopped: 0, refused: 0 };
  const dear: string[] = [];
  for (const [name, signatures] of Object.entries(FUNCTIONS))
    for (const signature of signatures.filter(({ takes }) => takes[0] === 'text'))
      for (const seed of SEEDS)
        for (const turn of [1, 2, 3]) {
          const { end, worst } = feed(signature, seed, turn);
          ends[end]++;
          if (worst > CHARS_PER_UNIT) dear.push(`${name}(${signature.takes.join(', ')}) of ${seed}: ${worst} a unit`);
        }
  expect(dear).toEqual([]);
  expect(ends.stopped).toBeGreaterThan(100);
});

test.each<SqlType>(['integer', 'numeric', 'float', 'boolean', 'date', 'timestamp', 'interval', 'uuid', 'bytes'])(
  'a cast to %s burns for its text, and ends for one of many digits and signs',
  (type) => {
    const cast = explicit('text', type)!;
    for (const text of ['1', '1.', '.1', ' ', '0', '1e', '-', '1 day ', '='].map((piece) => piece.repeat(200_000))) {
      const ended = fuelled(1e6, () => {
        try {
          cast(`${text}x`);
        } catch (error) {
          if (!(error instanceof SqlFault)) throw error;
        }
        return 1e6 - fuelLeft();
      });
      expect(ended).toBeGreaterThan(text.length / CHARS_PER_UNIT);
    }
  },
);

describe('what the functions give', () => {
  const compute = (name: string, ...values: unknown[]): unknown =>
    FUNCTIONS[name]!.find(({ takes }) => takes.length === values.length && takes[0] === 'text')!.compute(...values);
  const few = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '😀', ','), maxLength: 12 });
  const places = fc.integer({ min: -15, max: 15 });
  const chars = (text: string): string[] => Array.from(text);

  test('is what they mean, in characters', () => {
    fc.assert(
      fc.property(few, few, few, places, (text, part, by, n) => {
        expect(compute('reverse', text)).toBe(chars(text).toReversed().join(''));
        expect(compute('length', text)).toBe(chars(text).length);
        expect(compute('left', text, n)).toBe(
          chars(text)
            .slice(0, n < 0 ? Math.max(0, chars(text).length + n) : n)
            .join(''),
        );
        expect(compute('right', text, n)).toBe(
          n < 0
            ? chars(text).slice(-n).join('')
            : chars(text)
                .slice(Math.max(0, chars(text).length - n))
                .join(''),
        );
        expect(compute('replace', text, part, by)).toBe(part === '' ? text : text.split(part).join(by));
        expect(compute('strpos', text, part)).toBe(
          chars(text.slice(0, text.indexOf(part))).length * Number(text.includes(part)) + Number(text.includes(part)),
        );
        const wanted = new Set(part);
        const kept = chars(text);
        while (kept.length > 0 && wanted.has(kept[0]!)) kept.shift();
        expect(compute('ltrim', text, part)).toBe(kept.join(''));
        while (kept.length > 0 && wanted.has(kept.at(-1)!)) kept.pop();
        expect(compute('btrim', text, part)).toBe(kept.join(''));
        if (n !== 0) {
          const pieces = part === '' ? [text] : text.split(part);
          expect(compute('split_part', text, part, n)).toBe(pieces.at(n > 0 ? n - 1 : n) ?? '');
        }
        const padded = chars(text).slice(0, Math.max(0, n));
        const missing = by === '' ? 0 : Math.max(0, n - chars(text).length);
        const fill = Array.from({ length: missing }, (_, i) => chars(by)[i % chars(by).length]);
        expect(compute('rpad', text, n, by)).toBe([...padded, ...fill].join(''));
        expect(compute('lpad', text, n, by)).toBe([...fill, ...padded].join(''));
      }),
      { numRuns: rounds({ suite: 100, ci: 500 }) },
    );
  });
});

describe('a statement', () => {
  const product = productOf([entityOf('item', { n: { type: 'integer', index: true }, text: { type: 'text' } })]);
  let engine: Engine;
  beforeAll(loadSqlParser);
  beforeEach(async () => {
    engine = new Engine(product);
    const values = Array.from({ length: 200 }, (_, n) => `(${n}, 't${n}')`).join(', ');
    await run(engine, `insert into item (n, text) values ${values}`);
    engine.yields = 0;
  });

  test.each([
    'select count(*) as c from item where length(reverse(:t || text)) > n',
    "select max(length(replace(:t, 'a', 'bb'))) as c from item",
    'select count(*) as c from item where upper(:t || text) > text',
    'select count(distinct length(lpad(:t, 50000 + n))) as c from item',
    "select count(*) as c from item where :t || text like '%b%' or true",
  ])('pauses for what its expressions do, and not for its rows alone: %s', async (sql) => {
    const length = 40_000;
    expect(await run(engine, sql, { t: 'a'.repeat(length) })).toMatchObject({ total: 1 });
    // At least what the texts are, by the characters of a unit and the fuel of a stretch.
    expect(engine.yields).toBeGreaterThan((200 * length) / 16 / limits.host.turnUnits);
  });

  test.each([
    ['many texts in one', `select concat(${Array(5000).fill(':t').join(', ')}) as c`],
    ['one step that takes a text too long', 'select length(reverse(:t)) as c'],
    ['many steps', `select concat(${Array(400).fill('reverse(left(:t, 20000))').join(', ')}) = '' as c`],
  ])('is refused: %s', async (_name, sql) => {
    expect(await run(engine, sql, { t: 'ab'.repeat(2_000_000) })).toMatchObject({ status: 422 });
  });

  test.each([
    ['sorted by', 'select n from item order by replace(:t, :f, text)'],
    ['grouped by', 'select count(*) as c from item group by replace(:t, :f, text)'],
    ['told apart', 'select count(distinct replace(:t, :f, text)) as c from item'],
    ['told apart in rows', 'select distinct n, replace(:t, :f, text) as c from item'],
    ['joined by', 'select count(*) as c from item a join item b on replace(:t, :f, a.text) = replace(:t, :f, b.text)'],
    ['gathered', 'select n, string_agg(replace(:t, :f, text), text) as c from item group by n'],
    ['written', 'update item set text = replace(:t, :f, text)'],
  ])('what it makes and holds is bounded: %s', async (_name, sql) => {
    expect(await run(engine, sql, { t: `${'a'.repeat(600_000)}f`, f: 'f' })).toMatchObject({
      status: 422,
      message: `the statement holds more than ${limits.sql.charsKeptMax} characters at once`,
    });
  });

  test('what is short costs nothing: a turn takes the rows that it took before', async () => {
    const sql = "select count(*) as c from item where lower(text) || '!' <> reverse(upper(text)) and n::text <> ''";
    expect(await rows(engine, sql)).toEqual([{ c: 200 }]);
    expect(engine.yields).toBe(0);
  });
});

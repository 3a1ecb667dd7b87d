/** What a statement may cost a turn, hold and look at: docs/sql.md, "Bounds". */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compileSql } from '#actors/engine/sql/compile.ts';
import { executeSql } from '#actors/engine/sql/execute.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { servedTables } from '#actors/engine/sql/schema.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';
import { newStep, Replay, type Answered } from '#actors/data/script/replay.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { sessionWith, type Session } from '#actors/engine/rows/session.ts';
import { fault, rows, run, SOURCE } from './kit.ts';

const product = productOf([
  entityOf('item', {
    n: { type: 'integer', index: true },
    price: { type: 'decimal' },
    kind: { type: 'string' },
    text: { type: 'text' },
  }),
]);

let engine: Engine;
beforeAll(loadSqlParser);
beforeEach(() => {
  engine = new Engine(product);
});

/** Whenever the clock is looked at, much of it has gone by. */
function onBusyThread(session: Session): Session {
  let ms = 0;
  return sessionWith(session, { clock: { now: () => session.clock.now(), fine: () => (ms += 50) } });
}

async function fill(count: number, text = 'null'): Promise<void> {
  const CHUNK = 2000;
  for (let from = 0; from < count; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i) => from + i);
    const values = numbers.map((n) => `(${n}, ${n % 100}.5, 'k${n % 7}', ${text})`).join(', ');
    expect(await run(engine, `insert into item (n, price, kind, text) values ${values}`)).not.toHaveProperty('status');
  }
}

describe('a turn', () => {
  test('a join of 150 rows with each other stays within it, as a script that changes rows needs it', async () => {
    await fill(150);
    const join = compileSql(
      'select count(*) as pairs from item a join item b on a.n < b.n',
      servedTables(engine.models),
      SOURCE,
    );
    expect(executeSql(join, {}, engine.session())).toEqual({ total: 1, rows: [{ pairs: (150 * 149) / 2 }] });
    expect(engine.yields).toBe(0);
  });

  test('behind changes of the same turn a read is bounded by rows and fuel: a thread that is off its core for long refuses nothing', async () => {
    await fill(120);
    const quiet = engine.session();
    const session = onBusyThread(quiet);
    const tables = servedTables(engine.models);
    void executeSql(compileSql("insert into item (n, kind) values (1000, 'last')", tables, SOURCE), {}, quiet);
    const join = compileSql('select count(*) as pairs from item a join item b on a.n < b.n', tables, SOURCE);
    expect(executeSql(join, {}, session)).toEqual({ total: 1, rows: [{ pairs: (121 * 120) / 2 }] });
    const much = compileSql('select count(*) as n from item a cross join item b cross join item c', tables, SOURCE);
    expect(executeSql(much, {}, session)).toMatchObject({ status: 422 });
  });

  test('so is each step of a script, one that writes too', async () => {
    await fill(150);
    const tables = servedTables(engine.models);
    const changes = compileSql('update item set n = n + 1', tables, SOURCE);
    const replay = new Replay(onBusyThread(engine.session()), (own) => {
      const outcome = executeSql(changes, {}, own);
      return outcome instanceof Promise ? outcome.then(() => '') : isFailure(outcome) ? outcome : `${outcome.total}`;
    });
    replay.begin();
    const script = { source: '', name: 's.js', request: '' };
    let given: unknown = null;
    try {
      replay.repeat({ script, steps: [newStep('action', [])], result: null });
    } catch (error) {
      given = (error as Answered).given;
    }
    expect(given).toBe('150');
  });

  test('the rows of a subquery count as those around it: other turns run between two of them', async () => {
    await fill(1000);
    engine.yields = 0;
    const sql = 'select count(*) as n from item a where exists (select 1 from item b where b.n > a.n + 500)';
    expect(await rows(engine, sql)).toEqual([{ n: 499 }]);
    // A million rows, of which a turn takes some thousand: not one pause for each stride of the rows around.
    expect(engine.yields).toBeGreaterThan(1_000_000 / limits.sql.turnRowsMax / 2);
  });
});

describe('a table that is larger than what a step holds', () => {
  const count = limits.sql.rowsKeptMax + 5001;

  test('is added up as it comes, with and without groups, and under conditions', async () => {
    await fill(count);
    const numbers = Array.from({ length: count }, (_, n) => n);
    const sum = (count * (count - 1)) / 2;
    expect(await rows(engine, 'select sum(n) as s, min(n), max(n), count(*) as c from item')).toEqual([
      { s: sum, min: 0, max: count - 1, c: count },
    ]);
    const even = numbers.filter((n) => n % 100 === 4).length;
    expect(await rows(engine, 'select avg(price) as a, count(*) as c from item where price = 4.5')).toEqual([
      { a: '4.5000000000000000', c: even },
    ]);
    const kinds =
      'select kind, count(*) as c, sum(n) as s from item group by kind having max(n) > 0 order by kind desc limit 2';
    const of = (kind: number): number[] => numbers.filter((n) => n % 7 === kind);
    const group = (kind: number): object => ({
      kind: `k${kind}`,
      c: of(kind).length,
      s: of(kind).reduce((a, b) => a + b, 0),
    });
    expect(await rows(engine, kinds)).toEqual([group(6), group(5)]);
    for (const held of [
      'select n from item order by price',
      'select n, count(*) from item group by n',
      'select count(distinct n) from item',
    ])
      expect(await run(engine, held), held).toMatchObject({ status: 422, message: /rows at once/ });
  }, 60_000);
});

describe('characters', () => {
  test('what a statement holds is bounded by its length, too: of a table, and of an answer', async () => {
    const long = limits.sql.charsMax - 1;
    const most = Math.floor(limits.sql.charsKeptMax / long);
    await fill(most + 1);
    const refused = {
      status: 422,
      message: `the statement holds more than ${limits.sql.charsKeptMax} characters at once`,
    };
    expect(await run(engine, `select n, repeat('x', ${long}) as x from item`)).toMatchObject(refused);
    expect(await run(engine, `update item set text = repeat('x', ${long})`)).toMatchObject(refused);
    for (const half of ['n % 2 = 0', 'n % 2 = 1'])
      expect(await run(engine, `update item set text = repeat('x', ${long}) where ${half}`)).not.toHaveProperty(
        'status',
      );
    expect(await run(engine, 'select n from item where length(text) > 1')).toMatchObject(refused);
    // One at a time they are no more than one.
    expect(
      await rows(
        engine,
        `select count(*) as c from item a where (select repeat('x', ${long - 9}) || a.kind) is not null`,
      ),
    ).toEqual([{ c: most + 1 }]);
  }, 60_000);
});

describe('wide and deep statements', () => {
  test('thousands of columns count by their values: what is held is bounded, and other turns run between a few rows', async () => {
    await fill(6000);
    const wide = `select ${Array.from({ length: 3000 }, (_, i) => `n + ${i} as c${i}`).join(', ')} from item`;
    expect(await run(engine, wide)).toMatchObject({ status: 422, message: /characters at once/ });
    engine.yields = 0;
    expect(await run(engine, `${wide} where n < 400`)).toMatchObject({ total: 400 });
    expect(engine.yields).toBeGreaterThan(400 / limits.sql.strideRows);
  }, 60_000);

  test.each([
    ['a chain of names', (i: number) => `a${i} as (select n from ${i === 0 ? 'item' : `a${i - 1}`})`, ', '],
    ['unions', (i: number) => `select n from item where n = ${i}`, ' union all '],
  ])('selects have a bound, for %s run one within the other', async (_name, one, between) => {
    const of = (count: number): string => {
      const all = Array.from({ length: count }, (_, i) => one(i)).join(between);
      return all.startsWith('a0') ? `with ${all} select n from a${count - 1}` : all;
    };
    expect(fault(engine, of(limits.sql.selectsMax + 1))).toMatch(/more than 256 selects; split the statement/);
    await fill(5);
    expect(await run(engine, of(limits.sql.selectsMax / 2 - 1))).toMatchObject({ total: 5 });
  });
});

describe('reports', () => {
  test('a recursion without an end, and a series without one, are refused', async () => {
    const endless = 'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) as c from r';
    expect(await run(engine, endless)).toMatchObject({ status: 422, message: /rows at once/ });
    expect(await run(engine, 'select count(*) as c from generate_series(1, 9000000000000000000) g')).toMatchObject({
      status: 422,
      message: /rows at once/,
    });
    const ends = 'with recursive r(n) as (select 1 union select n % 100 + 1 from r) select count(*) as c from r';
    expect(await rows(engine, ends)).toEqual([{ c: 100 }]);
  }, 60_000);

  test('JSON that doubles with each step is refused before it is held, and JSON that nests too deep', async () => {
    const doubling = `with recursive r(n, j) as (select 1, '[1]'::jsonb union all select n + 1, jsonb_build_array(j, j) from r where n < 60)
      select max(n) as n from r`;
    expect(await run(engine, doubling)).toMatchObject({
      status: 422,
      message: /a JSON value has more than \d+ characters|costs more/,
    });
    const deep = doubling.replace('(j, j)', '(j)').replace('60', '1000');
    expect(await run(engine, deep)).toMatchObject({ status: 422, message: /more than 64 levels/ });
    const text = '['.repeat(300_000) + ']'.repeat(300_000);
    expect(await run(engine, 'select (:t::text)::jsonb is null as x', { t: text })).toMatchObject({ status: 422 });
  });

  test('frames that are computed anew count each of their rows', async () => {
    await fill(4000);
    engine.yields = 0;
    const running = 'select max(s) as s from (select sum(n) over (order by n) as s from item) t';
    expect(await rows(engine, running)).toEqual([{ s: String((4000 * 3999) / 2) }]);
    const back = running.replace('order by n', 'order by n rows between current row and unbounded following');
    expect(await run(engine, back)).toMatchObject({ status: 422, message: /looks at more than/ });
    const few = running.replace('order by n', 'order by n rows between 6 preceding and current row');
    expect(await rows(engine, few)).toEqual([{ s: String(7 * 3999 - 21) }]);
    expect(engine.yields).toBeGreaterThan(0);
  }, 60_000);

  test('a subquery that reads what many rows share is computed once for all of them', async () => {
    const count = 3503;
    await fill(count);
    // Twelve million rows without that: six times what a statement may look at.
    const sql = `select kind, n, (select count(*) from item b where b.kind = a.kind and b.price >= 0) as c from item a where n >= ${count - 7} order by kind`;
    const numbers = Array.from({ length: count }, (_, n) => n);
    const of = (kind: number): number => numbers.filter((n) => n % 7 === kind).length;
    expect(await rows(engine, sql)).toHaveLength(7);
    const all =
      'select sum(c) as s from (select (select count(*) from item b where b.kind >= a.kind) as c from item a) t';
    const expected = numbers.reduce(
      (sum, n) => sum + [0, 1, 2, 3, 4, 5, 6].filter((k) => k >= n % 7).reduce((more, k) => more + of(k), 0),
      0,
    );
    expect(await rows(engine, all)).toEqual([{ s: expected }]);
  }, 60_000);

  test('a pattern cannot hold the thread: it is linear, paid for by its size and the text, and bounded', async () => {
    await fill(300);
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(a*)*b', '([a-z]+)*x'])
      expect(
        await rows(engine, "select count(*) as c from item where (repeat('a', 2000) || kind) ~ :p", { p: pattern }),
      ).toHaveLength(1);
    expect(engine.yields).toBeGreaterThan(10);
    expect(await run(engine, "select 'a' ~ :p as x", { p: '((a{100}){100}){100}' })).toMatchObject({
      status: 422,
      message: /the pattern is too large/,
    });
    expect(await run(engine, "select repeat('a', 1000000) ~ :p as x", { p: '(a?){200}a{200}b' })).toMatchObject({
      status: 422,
    });
    for (const [pattern, message] of [
      ['(a', /invalid regular expression/],
      ['(?=a)', /invalid regular expression/],
      ['(a)\\1', /invalid regular expression/],
      ['\\mab', /the escape \\m cannot be used/],
    ] as const)
      expect(await run(engine, "select 'a' ~ :p as x", { p: pattern }), pattern).toMatchObject({
        status: 422,
        message,
      });
    expect(await run(engine, "select regexp_replace('a', 'a', 'b', 'z') as x")).toMatchObject({
      status: 422,
      message: /option "z"/,
    });
  }, 60_000);

  test('a pattern of to_char that is not known is named', async () => {
    const at = "'2026-01-01'::timestamptz";
    for (const [sql, name] of [
      [`select to_char(${at}, 'IDDD') as x`, 'IDDD'],
      [`select to_char(${at}, 'TMMonth') as x`, 'TM'],
      ["select to_char(12, 'RN') as x", 'RN'],
      ["select to_char(12, '9.9EEEE') as x", 'EEEE'],
      ["select to_char(12, 'L99') as x", 'L'],
    ])
      expect(await run(engine, sql!), sql).toMatchObject({
        status: 422,
        message: new RegExp(`the pattern ${name} of to_char`),
      });
  });
});

/** Statements obey what every request obeys: access, row rules, masks, checks, machines; all of a statement happens, or nothing. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { compileSql } from '#actors/engine/sql/compile.ts';
import { executeSql } from '#actors/engine/sql/execute.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { servedTables } from '#actors/engine/sql/schema.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';
import { rows, run, SOURCE } from './kit.ts';

const OPEN = { create: 'true', read: 'true', update: 'true', delete: 'true' };
const ADMIN = { ...USER, subject: 'boss', roles: ['admin'] };

function product() {
  const person = {
    name: { type: 'string', required: true, max_length: 20 },
    age: { type: 'integer', min: 0, index: true },
    secret: { type: 'string', mask: 'redact' },
    owner: { type: 'string' },
    boss_id: { type: 'ref', ref: { entity: 'person' } },
  } as const;
  const access = { ...OPEN, unmask: "'admin' in principal.roles" };
  const rowRule = "row.owner == principal.subject || 'admin' in principal.roles";
  return productOf([
    entityOf('person', person, { access, rowRule, traits: ['soft_delete', 'versioned'] }),
    entityOf('item', {
      code: { type: 'string', unique: true },
      qty: { type: 'integer', index: true },
      price: { type: 'decimal' },
    }),
    entityOf('closed', { name: { type: 'string' } }, { access: { create: 'true' } }),
  ]);
}

let engine: Engine;
beforeAll(loadSqlParser);
beforeEach(async () => {
  engine = new Engine(product());
  await run(
    engine,
    `insert into person (name, age, secret, owner) values
    ('ann', 30, 's-ann', 'u1'), ('bob', 40, 's-bob', 'u2'), ('cyd', null, 's-cyd', 'u1')`,
    {},
    ADMIN,
  );
});

describe('rules', () => {
  test('a row that a rule hides is not there, for reads, aggregates and writes', async () => {
    expect(await rows(engine, 'select name from person order by name')).toEqual([{ name: 'ann' }, { name: 'cyd' }]);
    expect(await rows(engine, 'select count(*) from person')).toEqual([{ count: 2 }]);
    expect(await rows(engine, 'select a.name from person a join person b on a.age < b.age')).toEqual([]);
    for (const sql of [
      'select count(*) over () as n from person limit 1',
      'with recursive r(name) as (select name from person union select p.name from person p join r on true) select count(*) as n from r',
      'select jsonb_array_length(jsonb_agg(p)) as n from person p',
      'select count(*) as n from (values (1)) v(x) cross join lateral (select name from person where age is null or age > v.x) y',
      'select cardinality(array(select name from person)) as n',
    ])
      expect(await rows(engine, sql), sql).toEqual([{ n: 2 }]);
    expect(await run(engine, 'update person set age = 1')).toEqual({ total: 2 });
    expect(await run(engine, 'delete from person')).toEqual({ total: 2 });
    expect(await rows(engine, 'select name, age from person', {}, ADMIN)).toEqual([{ name: 'bob', age: 40 }]);
  });

  test('an entity without a rule is denied, whatever it holds', async () => {
    for (const sql of [
      'select * from closed',
      'select 1 from person where exists (select 1 from closed)',
      "select p.name from person p join closed c on c.name = p.name where p.name = 'absent'",
      'update closed set name = name',
    ])
      expect(await run(engine, sql)).toMatchObject({ status: 403 });
    expect(await run(engine, "insert into closed (name) values ('x') returning name")).toEqual({
      total: 1,
      rows: [{ name: 'x' }],
    });
  });

  test('a masked field is shown masked, and only principals that may unmask it compute with it', async () => {
    const [shown] = (await rows(engine, "select secret from person where name = 'ann'")) as { secret: string }[];
    expect(shown!.secret).not.toContain('ann');
    expect(await rows(engine, "select secret from person where name = 'ann'", {}, ADMIN)).toEqual([shown]);
    const computed = [
      'select upper(secret) as x from person',
      "select name from person where secret = 's-ann'",
      "select name from person where secret like 's%'",
      'select max(secret) from person',
      'select count(*) from person group by secret',
      'select a.name from person a join person b on a.secret = b.secret',
      'update person set name = secret',
      'update person set age = 1 returning secret || name as x',
      'select name from person order by upper(secret)',
      'select row_number() over (order by secret) as n from person',
      'select lag(secret) over (order by id) as x from person',
      'select count(*) filter (where secret is not null) as n from person',
      'select array_agg(secret) as x from person',
      'select json_agg(name order by secret) as x from person',
      "select jsonb_build_object('s', secret) as x from person",
      'select distinct on (secret) name from person',
      "select secret ~ 's' as x from person",
      "select to_char(length(secret), '99') as x from person",
      'select x.v from person p cross join lateral (select upper(p.secret) as v) x',
      'select s from person p, unnest(array[p.secret]) s',
      "with recursive r(n) as (select 1 union all select n + 1 from r join person p on p.secret > 'a' where n < 3) select n from r",
    ];
    for (const sql of computed) expect(await run(engine, sql), sql).toMatchObject({ status: 403 });
    expect(await rows(engine, "select upper(secret) as x from person where name = 'ann'", {}, ADMIN)).toEqual([
      { x: 'S-ANN' },
    ]);
    const nested = "select x from (select secret as x from person where name = 'ann') t where x = 's-ann'";
    expect(await rows(engine, nested)).toEqual([]);
    const whole = "select p.j ->> 'secret' as x from (select row_to_json(q) as j from person q where name = 'ann') p";
    expect(await rows(engine, whole)).toEqual([{ x: shown!.secret }]);
    expect(await rows(engine, "select json_agg(p) as j from person p where name = 'ann'")).toMatchObject([
      { j: [shown] },
    ]);
    const lateral = "select x.s from person p cross join lateral (select p.secret as s) x where p.name = 'ann'";
    expect(await rows(engine, lateral)).toEqual([{ s: shown!.secret }]);
  });

  test('soft-deleted rows are gone; deleting marks them', async () => {
    await run(engine, "delete from person where name = 'ann'");
    expect(await rows(engine, 'select name from person')).toEqual([{ name: 'cyd' }]);
    expect(await rows(engine, 'select count(*) as n from person where deleted_at is not null')).toEqual([{ n: 0 }]);
  });

  test('checks of fields, references and unique claims; nothing is kept of a statement that fails', async () => {
    const bad = await run(engine, "insert into person (name, age, owner) values ('dan', 1, 'u1'), ('eve', -1, 'u1')");
    expect(bad).toMatchObject({ status: 422, details: { fields: { age: expect.anything() } } });
    expect(await run(engine, "insert into person (name, owner, boss_id) values ('f', 'u1', 'absent')")).toMatchObject({
      status: 422,
    });
    expect(await run(engine, 'update person set name = null')).toMatchObject({ status: 422 });
    expect(await run(engine, "update person set name = repeat('x', 30) where name = 'cyd'")).toMatchObject({
      status: 422,
    });
    await run(engine, "insert into item (code) values ('a'), ('b')");
    expect(await run(engine, "insert into item (code) values ('c'), ('a')")).toMatchObject({ status: 422 });
    expect(await run(engine, "update item set code = 'z'")).toMatchObject({ status: 422 });
    expect(await rows(engine, 'select code from item order by code')).toEqual([{ code: 'a' }, { code: 'b' }]);
    expect(await rows(engine, 'select count(*) as n from person', {}, ADMIN)).toEqual([{ n: 3 }]);
  });
});

describe('values', () => {
  test('parameters are converted to what they meet, or refused by name', async () => {
    const sql = 'select name from person where age = :age';
    for (const age of [30, '30', ' 30 ']) expect(await rows(engine, sql, { age })).toEqual([{ name: 'ann' }]);
    for (const age of ['x', 1.5, true, [1], {}, '9223372036854775808'])
      expect(await run(engine, sql, { age })).toMatchObject({ status: 422, details: { parameter: 'age' } });
    expect(await rows(engine, sql, {})).toEqual([]);
    expect(await rows(engine, sql, { age: null, other: 1 })).toEqual([]);
    expect(await run(engine, 'select name from person where name = any(:l)', { l: 'ann' })).toMatchObject({
      status: 422,
    });
  });

  test('exact decimals, large integers, integer division', async () => {
    await run(engine, "insert into item (code, qty, price) values ('a', 9007199254740993, 0.10), ('b', 2, 0.2)");
    expect(
      await rows(engine, 'select sum(price), sum(qty) as q, max(qty) / 2 as h, 7 / 2 as i, -7 / 2 as j from item'),
    ).toEqual([{ sum: '0.30', q: '9007199254740995', h: 4503599627370496, i: 3, j: -3 }]);
    expect(await run(engine, 'select qty / 0 as x from item')).toMatchObject({
      status: 422,
      message: 'division by zero',
    });
    expect(await run(engine, 'select qty * 9007199254740993 * 9 as x from item')).toMatchObject({
      message: 'bigint out of range',
    });
    expect(await run(engine, 'select (price * 1e30)::int8 as x from item')).toMatchObject({
      message: 'bigint out of range',
    });
    expect(await run(engine, 'select (select qty from item) as x')).toMatchObject({ message: /more than one row/ });
  });

  test('scales are those of PostgreSQL', async () => {
    const sql =
      'select 1.0 / 3 as a, 10.00 / 4 as b, 1e3::numeric / 7 as c, 0.0001 / 3.00 as d, 2.50 * 2.0 as e, 2.5 % 1.00 as f, round(2.5) as g, round(-2.5) as h, 5.5::int8 as i, round(1234.5, -2) as j';
    expect(await rows(engine, sql)).toEqual([
      {
        a: '0.33333333333333333333',
        b: '2.5000000000000000',
        c: '142.8571428571428571',
        d: '0.000033333333333333333333',
        e: '5.000',
        f: '0.50',
        g: '3',
        h: '-3',
        i: 6,
        j: '1200',
      },
    ]);
  });
});

describe('upsert', () => {
  beforeEach(() => run(engine, "insert into item (code, qty) values ('a', 1)"));

  test('do nothing, do update, and a row that is met twice', async () => {
    const insert = (rest: string) =>
      run(engine, `insert into item (code, qty) values ('a', 5), ('b', 6) ${rest} returning code, qty`);
    expect(await insert('on conflict (code) do nothing')).toEqual({ total: 1, rows: [{ code: 'b', qty: 6 }] });
    expect(
      await insert('on conflict (code) do update set qty = item.qty + excluded.qty where excluded.qty < 6'),
    ).toEqual({
      total: 1,
      rows: [{ code: 'a', qty: 6 }],
    });
    const twice =
      "insert into item (code, qty) values ('x', 1), ('x', 2) on conflict (code) do update set qty = excluded.qty";
    expect(await run(engine, twice)).toMatchObject({ status: 422, message: /second time/ });
    expect(await rows(engine, 'select code, qty from item order by code')).toEqual([
      { code: 'a', qty: 6 },
      { code: 'b', qty: 6 },
    ]);
  });

  test('a row that the caller may not see is in the way, and stays', async () => {
    const id = ((await rows(engine, "select id from person where name = 'bob'", {}, ADMIN)) as { id: string }[])[0]!.id;
    const sql =
      "insert into person (id, name, owner) values (:id, 'me', 'u1') on conflict (id) do update set name = 'me'";
    expect(await run(engine, sql, { id })).toMatchObject({ status: 422 });
    expect(await rows(engine, 'select name from person where id = :id', { id }, ADMIN)).toEqual([{ name: 'bob' }]);
  });
});

describe('long statements', () => {
  const count = 3 * limits.data.turnScanRowsMax;

  async function filled(): Promise<void> {
    for (let from = 0; from < count; from += 500) {
      const values = Array.from({ length: 500 }, (_, i) => `('c${from + i}', ${(from + i) % 10})`).join(', ');
      await run(engine, `insert into item (code, qty) values ${values}`);
    }
  }

  test('a read goes on over one snapshot, a write holds the tenant; answers are the same', async () => {
    await filled();
    engine.yields = 0;
    engine.holds = 0;
    const grouped =
      "select qty, count(*) as n from item where code like 'c%' group by qty having count(*) > 0 order by qty";
    expect(await rows(engine, grouped)).toEqual(Array.from({ length: 10 }, (_, qty) => ({ qty, n: count / 10 })));
    expect(engine.yields).toBeGreaterThan(2);
    expect(await rows(engine, 'select count(*) as n from item a join item b on a.code = b.code')).toEqual([
      { n: count },
    ]);
    expect(engine.holds).toBe(0);
    expect(await run(engine, 'update item set qty = qty + 1 where qty < 5')).toEqual({ total: count / 2 });
    expect(engine.holds).toBe(1);
    expect(await rows(engine, 'select max(qty), min(qty), sum(qty) from item')).toEqual([
      { max: 9, min: 1, sum: 5 * count },
    ]);
    expect(await run(engine, 'delete from item where qty = 9')).toEqual({ total: count / 10 });
  }, 30_000);

  test('a select that did not fit into its last turn begins over a snapshot, and in the turn again once it was short', async () => {
    await filled();
    const asked = compileSql(
      'select count(*) as n from item where code like :code',
      servedTables(engine.models),
      SOURCE,
    );
    const read = (code: string) => executeSql(asked, { code }, engine.session());
    const long = read('c%');
    expect(long).toBeInstanceOf(Promise);
    expect(await long).toEqual({ total: 1, rows: [{ n: count }] });
    let inTurn = 0;
    const session = engine.session();
    const counted = { ...session, turn: () => (inTurn++, session.turn()) };
    expect(await executeSql(asked, { code: 'c%' }, counted)).toEqual({ total: 1, rows: [{ n: count }] });
    expect(inTurn).toBe(1); // to see that nothing is staged
    expect(await read('c3')).toEqual({ total: 1, rows: [{ n: 1 }] });
    expect(read('c3')).not.toBeInstanceOf(Promise);
  }, 30_000);

  test('what is read by a key, by an index, in an order or by a count stays within the turn', async () => {
    await filled();
    engine.yields = 0;
    const [{ id }] = (await rows(engine, "select id from item where code = 'c7'")) as [{ id: string }];
    const asked = compileSql('select code from item where id = :id', servedTables(engine.models), SOURCE);
    expect(executeSql(asked, { id }, engine.session())).toEqual({ total: 1, rows: [{ code: 'c7' }] });
    expect(await rows(engine, 'select count(*) from item')).toEqual([{ count }]);
    expect(await rows(engine, 'select code from item order by id limit 2')).toEqual([{ code: 'c0' }, { code: 'c1' }]);
    expect(await rows(engine, 'select qty from item order by qty desc limit 2 offset 1')).toEqual([
      { qty: 9 },
      { qty: 9 },
    ]);
    const join = "select b.qty from item a join item b on b.id = a.id where a.code = 'c15'";
    expect(await rows(engine, join)).toEqual([{ qty: 5 }]);
    expect(engine.yields).toBe(0);
  }, 30_000);

  test('bounds: rows written, rows held, rows looked at', async () => {
    await filled();
    expect(await run(engine, 'select a.code as x from item a join item b on a.qty = b.qty')).toMatchObject({
      status: 422,
      message: expect.stringContaining('rows at once'),
    });
    const cross =
      "insert into item (code) select a.code || b.code from item a join item b on a.qty = b.qty and b.code < 'c12'";
    expect(await run(engine, cross)).toMatchObject({ status: 422 });
    expect(await run(engine, "select repeat('xxxxxxxxxx', 1000000) as x")).toMatchObject({ status: 422 });
    const nested =
      'select count(*) from item a where not exists (select 1 from item b where b.qty > a.qty + 100 and b.code <> a.code)';
    expect(await run(engine, nested)).toMatchObject({
      status: 422,
      message: expect.stringContaining('looks at more than'),
    });
  }, 60_000);

  test('a long read after changes of the same turn is refused: a snapshot would not show them', async () => {
    await filled();
    const insert = compileSql("insert into item (code) values ('new')", servedTables(engine.models), SOURCE);
    const read = compileSql("select count(*) from item where code like '%w'", servedTables(engine.models), SOURCE);
    const session = engine.session();
    expect(executeSql(insert, {}, session)).toEqual({ total: 1 });
    expect(await executeSql(read, {}, session)).toMatchObject({ status: 422 });
    engine.end(false);
    const outcome = await executeSql(read, {}, session);
    expect(isFailure(outcome)).toBe(false);
  }, 30_000);
});

/** Parameters are found by the scanner, not in the text; faults stand where their author wrote them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { compileSql } from '#actors/engine/sql/compile.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { declaredTables, servedTables } from '#actors/engine/sql/schema.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';
import { fault, rows, SOURCE } from './kit.ts';

const product = productOf([
  entityOf(
    'city',
    {
      name: { type: 'string', unique: true },
      population: { type: 'integer' },
      order: { type: 'integer' },
      tags: { type: 'json' },
      photo: { type: 'file' },
      opened: { type: 'datetime' },
    },
    { traits: ['timestamps', 'soft_delete'] },
  ),
]);
const engine = new Engine(product);

beforeAll(loadSqlParser);

describe('parameters', () => {
  test.each([
    [`select ':a' as x, :a as y`, ['a'], [{ x: ':a', y: 'v' }]],
    [`select ':a'::text as x`, [], [{ x: ':a' }]],
    [`select :a::text as x`, ['a'], [{ x: 'v' }]],
    [`select 1 as ":a", :a as y`, ['a'], [{ ':a': 1, y: 'v' }]],
    [`select $$:b$$ as x, $t$ :c $$ $t$ as y`, [], [{ x: ':b', y: ' :c $$ ' }]],
    [`select /* :b /* :c */ */ :a as x -- :d`, ['a'], [{ x: 'v' }]],
    [`select e'\\':b' as x`, [], [{ x: "':b" }]],
    [`select U&'\\003Ab' as x`, [], [{ x: ':b' }]],
    [`select :b||:a||:b as x`, ['b', 'a'], [{ x: 'wvw' }]],
    [`select 'é' as "ü", :a as x`, ['a'], [{ ü: 'é', x: 'v' }]],
    [`select :select as x`, ['select'], [{ x: 's' }]],
  ])('%s', async (sql, names, expected) => {
    expect(compileSql(sql, servedTables(engine.models), SOURCE).parameters).toEqual(names);
    expect(await rows(engine, sql, { a: 'v', b: 'w', select: 's' })).toEqual(expected);
  });

  test('take the type of what they meet', () => {
    const sql = `select name, (opened > :at) as later from city where population between :low and :high + 1
      and name = any(:names) and created_at < :at and :flag limit :n`;
    expect(compileSql(sql, servedTables(engine.models), SOURCE).parameterTypes).toEqual({
      at: 'timestamp',
      low: 'integer',
      high: 'integer',
      names: 'text[]',
      flag: 'boolean',
      n: 'integer',
    });
  });

  test('a text that looks like SQL stays a text', async () => {
    for (const text of ["'; drop table city; --", "' or 1=1 --", '$1', ':a', '$$', '"', '\\', '/*'])
      expect(await rows(engine, 'select :a as x, count(*) as n from city where name = :a', { a: text })).toEqual([
        { x: text, n: 0 },
      ]);
    expect(await rows(engine, `select :a as x where :a = :a`, { a: "'; drop table city; --" })).toEqual([
      { x: "'; drop table city; --" },
    ]);
  });
});

describe('refused at load', () => {
  test.each([
    ['', '10:5: there is no statement'],
    ['-- nothing', '10:5: there is no statement'],
    ['select 1; select 2', '10:15: a second statement'],
    ['select name from city wheer name = 1', '10:33: syntax error at or near "name"'],
    ['select nme from city', '10:12: there is no column nme; did you mean "name"?'],
    ['select\n  c.nme\n  from city c', '11:7: there is no column c.nme'],
    ["select 'ééé',\n 'ü', nme from city", '11:11: there is no column nme'],
    ['select :aaaaaaaaaaaaaaaa, :b, nme from city', '10:35: there is no column nme'],
    ['select * from citys', '10:19: there is no entity citys; did you mean "city"?'],
    ['select x.name from city', '10:12: there is no table x here'],
    ['select a.name, b.name from city a, city b', 'two columns are named name'],
    ['select name from city a, city b', '10:12: name is ambiguous; write a.name or b.name'],
    ['select 1 from city a, city a', 'the name a stands for two relations'],
    ['select population + name from city', 'there is no integer + text'],
    ["select 1 from city where population = 'x'", '10:43: invalid input syntax for type bigint: "x"'],
    ['select 1 from city where name = population', 'text and integer cannot be compared'],
    ['select 1 from city where name', 'WHERE is text, not a condition'],
    ['select name, count(*) from city', 'city.name is neither grouped by nor aggregated'],
    ['select 1 from city where count(*) > 1', 'count may not stand in WHERE'],
    ['select sum(name) from city', 'there is no sum(text)'],
    ['select frobnicate(name) from city', 'there is no function frobnicate'],
    ['select uper(name) from city', 'did you mean "upper"?'],
    ['select name::frob from city', 'the type frob cannot be run here'],
    ['select $1 from city', '$1 is not a parameter here; write :name'],
    ['select name from city for update', '"for update" cannot be run here'],
    [
      'select name from city where row_number() over () = 1',
      'row_number over (…) may not stand here; put it into the select list',
    ],
    ['select row_number() from city', 'row_number needs a window; write row_number(…) over (…)'],
    ['select upper(name) over () from city', 'upper is no window function'],
    ['select count(distinct name) over () from city', '"distinct" cannot be run here'],
    ['select sum(population) over w from city', 'there is no window w; define it: window w as (…)'],
    [
      'select sum(population) over (order by id range 3 preceding) from city',
      'RANGE with an offset cannot be run here; write ROWS',
    ],
    ['select sum(population) over (groups 1 preceding) from city', 'GROUPS mode requires an ORDER BY clause'],
    ['select sum(population) over (rows population preceding) from city', 'the offset of a frame reads a column'],
    ['select lag(name, 1, 2) over () from city', 'LAG and LEAD cannot hold text and integer'],
    ['select count(*) filter (where name) from city', 'FILTER is text, not a condition'],
    [
      'with recursive r as (select 1 as n intersect select n from r) select * from r',
      'does not have the form non-recursive-term UNION [ALL]',
    ],
    [
      'with recursive r as (select 1 as n union select a.n from r a, r b) select * from r',
      'must not appear more than once',
    ],
    [
      "with recursive r as (select 1 as n union select 'x' || n from r) select * from r",
      'n is integer in the first part and text in the second',
    ],
    ['with recursive r as (select n from r union select 1 as n) select * from r', 'there is no entity r'],
    ['with r(a, b) as (select 1) select * from r', 'there are 2 names for 1 columns'],
    ['with w as (delete from city returning id) select * from w', 'a statement that writes, inside another'],
    ['select distinct on (name) name from city order by population', 'must match initial ORDER BY expressions'],
    ['select distinct on (tags) name from city', 'DISTINCT over json cannot be run here'],
    ['select * from city natural join city b', '"natural join" cannot be run here'],
    ['select * from city a join city b using (id)', '"using (…)" cannot be run here'],
    ['select * from pg_catalog.pg_class', '"a schema name" cannot be run here'],
    ['select generate_series(1, 10)', 'generate_series gives rows; write it in FROM'],
    [
      'select * from generate_serie(1, 10)',
      'there is no function generate_serie that gives rows; did you mean "generate_series"?',
    ],
    ["select * from generate_series('a'::text, 10)", 'there is no generate_series(text, integer)'],
    ['select * from rows from (generate_series(1, 2), generate_series(1, 3)) x', '"rows from (…)" cannot be run here'],
    ['select * from jsonb_to_recordset(:a) r', 'takes a JSON value and needs columns'],
    [
      'select * from city a right join lateral (select a.name as x) b on true',
      'lateral b at this place of an outer join',
    ],
    [
      'select (select count(*) from city b, jsonb_array_elements(a.tags) e) from city a',
      'e, which reads a select further out, beside an entity',
    ],
    ['select tags -> 1.5 from city', 'there is no json -> numeric'],
    ["select tags @> '{' from city", 'invalid input syntax for type json'],
    ["select jsonb_build_object('a') from city", 'takes names and values by turns'],
    ['select array_length(name, 1) from city', 'array_length takes a list'],
    ["select array[1, 'a'::text] from city", 'a list cannot hold integer and text'],
    ['select name[1] from city', 'text is no list'],
    ['select 1 = any(name) from city', 'any (…) takes a list, not text'],
    ['select array_agg(distinct name order by population) from city', 'ordered by something else cannot be run here'],
    ['select pg_sleep(10)', 'there is no function pg_sleep'],
    ['create table x (id int)', 'a CreateStmt cannot be run here'],
    ['truncate city', 'a TruncateStmt cannot be run here'],
    ['select 1 into x', '"into" cannot be run here'],
    ['insert into city (nme) values (1)', '10:23: city has no column nme; did you mean "name"?'],
    ["insert into city (created_at) values ('2026-01-01')", 'created_at is kept by the service'],
    ['insert into city (name) values (1, 2)', 'there are 2 values for 1 columns'],
    ['insert into city (name, name) values (1, 2)', 'name is named twice'],
    ['insert into city (population) values (true)', 'boolean does not become integer here'],
    ["insert into city (name) values ('a') on conflict (population) do nothing", '(population) is not unique in city'],
    ["insert into city (name) values ('a') on conflict do update set name = 'b'", 'DO UPDATE needs the columns'],
    ["update city set id = 'x'", 'id is the key and never changes'],
    ['update city set name = 1, name = 2', 'name is set twice'],
    ["update city set photo = 'x'", 'setting a file cannot be run here'],
    ['select 1 from city order by tags', 'ordering by json cannot be run here'],
    ['select tags, count(*) from city group by tags', 'grouping by json cannot be run here'],
    [
      'select name as x from city union select population as x from city',
      'x is text on one side and integer on the other',
    ],
    ['select 1 from city where id = (select id, name from city)', 'the subquery gives 2 columns'],
    ['select a.b.c.d from city', 'the name a.b.c.d cannot be run here'],
    ['select name from city order by 2', 'there is no column 2 in the select list'],
    [
      `select ${'('.repeat(300)}1${')'.repeat(300)} + ${Array.from({ length: 300 }, () => '1').join('+')}`,
      'nests deeper than',
    ],
  ])('%s', (sql, expected) => {
    expect(fault(engine, sql)).toContain(expected);
  });

  test('a statement past its length, text that is none', () => {
    expect(fault(engine, `select '${'x'.repeat(70_000)}'`)).toContain('longer than 65536 characters');
    expect(fault(engine, "select '\ud800'")).toContain('not well-formed');
  });

  test('keywords and quoted names are columns like others', async () => {
    expect(fault(engine, 'select order from city')).toContain('syntax error');
    expect(await rows(engine, 'select "order" as "group" from city')).toEqual([]);
  });

  test('declared and served tables are the same', () => {
    const [declared, served] = [declaredTables(product), servedTables(engine.models)];
    expect(declared.names).toEqual([...engine.models.keys()]);
    for (const name of declared.names) expect(declared.get(name)).toEqual(served.get(name));
  });
});

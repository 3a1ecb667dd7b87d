/**
 * Views, from the parameters of a list on, against the same views of PostgreSQL, where the rows that the caller may not see are missing: a
 * hidden row that counts in an aggregate, or a condition that is asked of a table and should not be, gives another answer.
 */
import { expect, test } from 'vitest';
import { isFailure } from '#actors/engine/rows/failure.ts';
import type { Found } from '#actors/engine/rows/found.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { findRows } from '#actors/engine/rows/read.ts';
import { groupSql, selectSql } from '#actors/engine/rows/sql.ts';
import { compileSql } from '#actors/engine/sql/compile.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { servedTables } from '#actors/engine/sql/schema.ts';
import { narrowedBy } from '#actors/engine/view/narrow.ts';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { INTERNAL, type Principal } from '#actors/protocol/principal.ts';
import { USER } from '#test/kit/data-call.ts';
import { asRequest, type Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { allStatements, engines, leafOf, seed, VALUES, type Filter } from '../rows/path/far-scenario.ts';
import { VIEWS } from './statements.ts';

const RUNS = rounds({ suite: 200, ci: 1000 }, 'SKEP_QUERY_RUNS');

const OPERANDS: Readonly<Record<string, readonly unknown[]>> = {
  ...VALUES,
  id: ['t1', 't12', 'c003', 'u1', 'new', 'none', "it's"],
  requester_id: ['u1', 'u4', 'u9'],
  n: [0, 1, 3, 4, 30],
  ranks: ['0', '7', '20'],
  comments: [0, 1, 2],
  tickets: [0, 3, 8],
  place: [1, 2, 3],
};

/** Conditions on a column, as they stand in the body of a search. */
function leafFor(column: string, type: string): fc.Arbitrary<Filter> {
  const values = type === 'boolean' ? [true, false] : OPERANDS[column]!;
  return leafOf(column, values, type === 'string').map(({ op, value }) => ({ [column]: { [op]: value } }));
}

function filterFor(leaf: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  const some = fc.array(leaf, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: some.map((of) => ({ '[or]': of })) },
    { weight: 1, arbitrary: leaf.map((of) => ({ '[not]': of })) },
    { weight: 1, arbitrary: some.map((of) => ({ '[and]': of })) },
  );
}

const wanted = fc.constantFrom(...VIEWS).chain(({ definition }) => {
  const columns = Object.entries(definition.fields).map(([name, { type }]) => [name, type] as const);
  const names = columns.map(([name]) => name);
  return fc.record({
    view: fc.constant(definition.name),
    filters: fc.array(filterFor(fc.oneof(...columns.map(([name, type]) => leafFor(name, type)))), { maxLength: 3 }),
    order: fc.constantFrom('', ...names, ...names.map((name) => `-${name}`)),
    fields: fc.constantFrom('', '', names.slice(0, 2).join(',')),
    limit: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constant(400)),
    offset: fc.constantFrom(0, 0, 2),
    grouped: fc.constantFrom(null, null, null, ...names),
    sliced: fc.boolean(),
  });
});
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

function queryOf(engine: Engine, given: Wanted): Query {
  const model = engine.models.get(given.view)!;
  const session = engine.session(USER);
  const asker = { session, request: asRequest(given.view) };
  const search = new URLSearchParams({ limit: String(given.limit), offset: String(given.offset) });
  if (given.grouped !== null) {
    search.set('groupby', given.grouped);
    search.set('[aggregate]', 'count,count_distinct(id)');
  } else {
    if (given.order !== '') search.set('orderby', given.order);
    if (given.fields !== '') search.set('fields', given.fields);
  }
  const more = parseFilter(model, { '[and]': given.filters.length === 0 ? [{}] : given.filters }, asker);
  if (isFailure(more)) throw new Error(more.message);
  const parsed = parseQuery(model, new Parameters(search), session, more, asker);
  if (isFailure(parsed)) throw new Error(parsed.message);
  return parsed;
}

const reached = { rows: 0, empty: 0, narrowed: 0, groups: 0, sliced: 0, hidden: 0, ordered: 0, fields: 0 };
const perView: Record<string, number> = Object.fromEntries(VIEWS.map(({ definition }) => [definition.name, 0]));

const database = await emptyPostgres();

/** With `fuel` for the turn: where that does not suffice, the read goes on over a snapshot. */
async function find(engine: Engine, asked: Query, principal: Principal = USER, fuel = Infinity): Promise<Found> {
  const model = engine.models.get(asked.entity)!;
  const reading = fuelled(fuel, () => findRows(engine.session(principal), model, asRequest(asked.entity), () => asked));
  reached.sliced += Number(reading instanceof Promise);
  const found = await reading;
  if (isFailure(found)) throw new Error(`${asked.entity}: ${found.message}`);
  return found;
}

/** Cells of the answer as texts, in the order of the statement's columns. */
function cellsOf(engine: Engine, asked: Query, { rows, groups }: Found): string[][] {
  const model = engine.models.get(asked.entity)!;
  const names = asked.select ?? model.columns.map(({ name }) => name);
  const cells = groups ?? rows.map(({ slots }) => names.map((name) => slots[model.column(name)!.at]));
  return cells.map((row) => row.map(textOf));
}

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString().slice(0, 10) : String(value));

async function answer(engine: Engine, asked: Query, sliced: boolean): Promise<string[][]> {
  return cellsOf(engine, asked, await find(engine, asked, USER, sliced ? 500 : Infinity));
}

function note(engine: Engine, given: Wanted, asked: Query, count: number): void {
  const { view } = VIEWS.find(({ definition }) => definition.name === given.view)!.definition;
  const sql = compileSql(view!.text, servedTables(engine.models), view!);
  reached.narrowed += Number(narrowedBy(sql, engine.models.get(given.view)!, asked) !== null);
  reached.rows += count;
  reached.empty += Number(count === 0);
  reached.groups += Number(asked.group !== null && count > 0);
  reached.ordered += Number(asked.order.length > 0 && count > 1);
  reached.fields += Number(asked.select !== null);
  perView[given.view]! += Number(count > 0);
}

test(`views give what PostgreSQL's give (seed ${seed})`, async () => {
  await loadSqlParser();
  const both = engines(VIEWS.map(({ definition }) => definition));
  for (const statement of allStatements(both[0]!)) await database.exec(statement);
  // A statement of a view meets no row that is deleted softly.
  for (const table of ['ticket', 'comment']) await database.exec(`DELETE FROM ${table} WHERE deleted_at IS NOT NULL`);
  for (const { definition, where } of VIEWS) {
    const narrowed = where === undefined ? '' : ` WHERE ${where}`;
    await database.exec(`CREATE VIEW "${definition.name}" AS SELECT * FROM (${definition.view!.text}) v${narrowed}`);
  }
  const property = fc.asyncProperty(wanted, async (given) => {
    const first = queryOf(both[0]!, given);
    const model = both[0]!.models.get(given.view)!;
    const sql = first.group === null ? selectSql(model, first) : groupSql(model, first, first.group);
    const { rows } = await database.query<unknown[]>(sql, [], { rowMode: 'array' });
    const expected = rows.map((row) => row.map(textOf));
    for (const engine of both)
      expect([sql, await answer(engine, queryOf(engine, given), given.sliced)]).toEqual([sql, expected]);
    note(both[1]!, given, first, rows.length);
    const all = cellsOf(both[0]!, first, await find(both[0]!, first, INTERNAL));
    reached.hidden += Number(JSON.stringify(all) !== JSON.stringify(expected));
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify({ ...reached, ...perView }));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
  for (const [name, count] of Object.entries(perView)) expect([name, count > 0]).toEqual([name, true]);
}, 3_600_000);

/**
 * Filters by rows on the other side of references: the engine, from what callers write on, against PostgreSQL. There the rows that the caller may not
 * see are missing, so a filter that tells them apart from absent ones differs.
 */
import { expect, test } from 'vitest';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { predicatesIn, type Conjunction, type FarRows, type Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { groupSql, selectSql } from '#actors/engine/rows/sql.ts';
import { walkRows } from '#actors/engine/rows/walk.ts';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { USER } from '#test/kit/data-call.ts';
import { asRequest, type Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { allStatements, engines, seed, type Filter } from './far-scenario.ts';
import { filterOf, type Name } from './many-scenario.ts';

const RUNS = rounds({ suite: 100, ci: 750 }, 'SKEP_QUERY_RUNS');

const wanted = fc.constantFrom<Name>('person', 'ticket', 'ticket', 'comment').chain((entity) =>
  fc.record({
    entity: fc.constant(entity),
    filters: fc.array(filterOf(entity, 3), { minLength: 1, maxLength: 2 }),
    /** As one parameter of a query string, beside the search's body. */
    inText: fc.boolean(),
    order: fc.constantFrom('', 'id', '-id'),
    limit: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(200)),
    deleted: fc.constantFrom(false, false, true),
    grouped: fc.constantFrom(false, false, false, true),
    how: fc.constantFrom<'turn' | 'slices' | 'walk'>('turn', 'turn', 'slices', 'walk'),
  }),
);
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

const GROUPED = { person: 'grade', ticket: 'status', comment: 'text' } as const;

/** A walk without an order takes the rows as they come. */
const orderOf = ({ order, how }: Wanted): string => (how === 'walk' && order === '' ? 'id' : order);

function queryOf(engine: Engine, session: Session, given: Wanted): Query {
  const model = engine.models.get(given.entity)!;
  const asker = { session, request: asRequest(given.entity) };
  const search = new URLSearchParams();
  for (const name of ['limit', 'deleted'] as const) search.set(name, String(given[name]));
  if (given.grouped) {
    search.set('groupby', GROUPED[given.entity]);
    search.set('[aggregate]', 'count');
  } else if (orderOf(given) !== '') search.set('orderby', orderOf(given));
  if (given.inText) search.set('[and]', JSON.stringify(given.filters));
  const more = parseFilter(model, given.inText ? {} : { '[and]': given.filters }, asker);
  if (isFailure(more)) throw new Error(more.message);
  const parsed = parseQuery(model, new Parameters(search), session, more, asker);
  if (isFailure(parsed)) throw new Error(parsed.message);
  return parsed;
}

const reached = {
  rows: 0,
  narrowed: 0,
  byRow: 0,
  some: 0,
  none: 0,
  every: 0,
  nested: 0,
  behindHops: 0,
  hidden: 0,
  sliced: 0,
  walked: 0,
  groups: 0,
};

const database = await emptyPostgres();

async function find(engine: Engine, session: Session, entity: Name, asked: Query): Promise<Found> {
  const found = await findRows(session, engine.models.get(entity)!, asRequest(entity), () => asked);
  if (isFailure(found)) throw new Error(found.message);
  return found;
}

const idsOf = ({ models }: Engine, entity: Name, { rows }: Pick<Found, 'rows'>): unknown[] =>
  rows.map(({ slots }) => models.get(entity)!.shape(slots)['id']);

async function answer(engine: Engine, session: Session, asked: Query, { how, entity }: Wanted): Promise<unknown[]> {
  if (how === 'walk') {
    reached.walked++;
    const batches = await walkRows(session, engine.models.get(entity)!, asRequest(entity), asked);
    if (isFailure(batches)) throw new Error(batches.message);
    const ids: unknown[] = [];
    for await (const rows of batches) ids.push(...idsOf(engine, entity, { rows }));
    return ids;
  }
  const before = engine.yields;
  const look = () => find(engine, session, entity, asked);
  const found = await (how === 'slices' ? fuelled(3000, look) : look());
  reached.sliced += Number(engine.yields > before);
  reached[found.plan.kind === 'table' ? 'byRow' : 'narrowed']++;
  return idsOf(engine, entity, found);
}

type Expected = readonly [sql: string, rows: readonly (readonly unknown[])[]];

async function check(engine: Engine, given: Wanted, [sql, rows]: Expected): Promise<void> {
  const session = engine.session(USER);
  const asked = queryOf(engine, session, given);
  if (asked.group !== null) {
    const found = await find(engine, session, given.entity, asked);
    expect([sql, found.groups!.map((cells) => cells.map(String))]).toEqual([
      sql,
      rows.map((cells) => cells.map(String)),
    ]);
    reached.groups += Number(rows.length > 0);
    return;
  }
  const ids = await answer(engine, session, asked, given);
  expect([sql, ids]).toEqual([sql, rows.map(([id]) => id)]);
  reached.rows += ids.length;
  // What those find who may see all: a filter that found the same for everyone would prove nothing of hidden rows.
  if (given.limit < 200) return;
  const internal = engine.session(INTERNAL);
  const all = idsOf(engine, given.entity, await find(engine, internal, given.entity, asked));
  reached.hidden += Number(all.length !== ids.length);
}

const rowsIn = (conditions: Conjunction): FarRows[] => predicatesIn(conditions).flatMap(({ at }) => at?.rows ?? []);

function note(asked: Query, filters: readonly Filter[]): void {
  const text = JSON.stringify(filters);
  for (const quantifier of ['some', 'none', 'every'] as const) reached[quantifier] += Number(text.includes(quantifier));
  reached.nested += Number(rowsIn(asked).some(({ of }) => rowsIn(of).length > 0));
  reached.behindHops += Number(predicatesIn(asked).some(({ at }) => at?.rows !== undefined && at.hops.length > 0));
}

test(`filters by rows of the other side find what PostgreSQL finds (seed ${seed})`, async () => {
  const both = engines();
  for (const statement of allStatements(both[0]!)) await database.exec(statement);
  const property = fc.asyncProperty(wanted, async (given) => {
    const asked = queryOf(both[0]!, both[0]!.session(USER), given);
    const model = both[0]!.models.get(given.entity)!;
    const sql = asked.group === null ? selectSql(model, asked) : groupSql(model, asked, asked.group);
    const { rows } = await database.query<unknown[]>(sql, [], { rowMode: 'array' });
    for (const engine of both) await check(engine, given, [sql, rows]);
    note(asked, given.filters);
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);

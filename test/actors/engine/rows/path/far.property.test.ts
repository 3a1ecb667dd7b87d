/**
 * Filters by values that a row leads to, over references and into json: the engine, from what callers write on, against PostgreSQL. There the rows
 * that the caller may not see are missing, so a filter that tells them apart from absent ones differs.
 */
import { expect, test } from 'vitest';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { predicatesIn, type Query } from '#actors/engine/rows/query.ts';
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
import { allStatements, engines, group, isOwn, leaf, seed, type Filter, type Leaf } from './far-scenario.ts';

const RUNS = rounds({ suite: 100, ci: 750 }, 'SKEP_QUERY_RUNS');

const wanted = fc.record({
  leaves: fc.array(leaf, { maxLength: 2 }),
  groups: fc.oneof(fc.constant<Filter[]>([]), fc.array(group, { minLength: 1, maxLength: 2 })),
  order: fc.constantFrom('', 'id', '-id', 'text', '-ticket_id'),
  limit: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(200)),
  offset: fc.constantFrom(0, 0, 0, 2),
  deleted: fc.constantFrom(false, false, true),
  grouped: fc.constantFrom(false, false, false, true),
  how: fc.constantFrom('turn', 'turn', 'slices', 'walk'),
});
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

/** As text: lists and JSON as JSON, and texts that would be read as something else. */
function textOf({ op, value, path }: Leaf): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  const isJson = path.includes('/') && op !== 'like' && op !== 'ilike';
  return isJson && typeof value === 'string' && value !== 'red' ? JSON.stringify(value) : String(value);
}

function queryOf(engine: Engine, session: Session, given: Wanted): Query {
  const model = engine.models.get('comment')!;
  const asker = { session, request: asRequest('comment') };
  const search = new URLSearchParams();
  for (const one of given.leaves)
    search.append(isOwn(one) ? one.path : `[${one.path}]${one.op === 'eq' ? '' : `[${one.op}]`}`, textOf(one));
  for (const name of ['limit', 'offset', 'deleted'] as const) search.set(name, String(given[name]));
  if (given.grouped) {
    search.set('groupby', 'text');
    search.set('[aggregate]', 'count,count_distinct(ticket_id)');
  } else if (given.order !== '') search.set('orderby', given.order);
  const more = parseFilter(model, { '[and]': given.groups.length === 0 ? [{}] : given.groups }, asker);
  if (isFailure(more)) throw new Error(more.message);
  const parsed = parseQuery(model, new Parameters(search), session, more, asker);
  if (isFailure(parsed)) throw new Error(parsed.message);
  return parsed;
}

const reached = {
  rows: 0,
  narrowed: 0,
  byRow: 0,
  threeHops: 0,
  json: 0,
  farJson: 0,
  hidden: 0,
  sliced: 0,
  walked: 0,
  groups: 0,
  negated: 0,
};

const database = await emptyPostgres();

async function find(engine: Engine, session: Session, asked: Query): Promise<Found> {
  const found = await findRows(session, engine.models.get('comment')!, asRequest('comment'), () => asked);
  if (isFailure(found)) throw new Error(found.message);
  return found;
}

const idsOf = (engine: Engine, { rows }: Pick<Found, 'rows'>): unknown[] =>
  rows.map(({ slots }) => engine.models.get('comment')!.shape(slots)['id']);

async function answer(engine: Engine, session: Session, asked: Query, how: Wanted['how']): Promise<unknown[]> {
  if (how === 'walk' && asked.offset === 0) {
    reached.walked++;
    const batches = await walkRows(session, engine.models.get('comment')!, asRequest('comment'), asked);
    if (isFailure(batches)) throw new Error(batches.message);
    const ids: unknown[] = [];
    for await (const rows of batches) ids.push(...idsOf(engine, { rows }));
    return ids;
  }
  const before = engine.yields;
  const found = await (how === 'slices'
    ? fuelled(3000, () => find(engine, session, asked))
    : find(engine, session, asked));
  reached.sliced += Number(engine.yields > before);
  reached[found.plan.kind === 'table' ? 'byRow' : 'narrowed']++;
  return idsOf(engine, found);
}

const sqlOf = (engine: Engine, asked: Query): string => {
  const model = engine.models.get('comment')!;
  return asked.group === null ? selectSql(model, asked) : groupSql(model, asked, asked.group);
};

type Expected = readonly [sql: string, rows: readonly (readonly unknown[])[]];

async function check(engine: Engine, asked: Query, given: Wanted, [sql, rows]: Expected): Promise<void> {
  const session = engine.session(USER);
  if (asked.group !== null) {
    const found = await find(engine, session, asked);
    expect([sql, found.groups!.map((cells) => cells.map(String))]).toEqual([
      sql,
      rows.map((cells) => cells.map(String)),
    ]);
    reached.groups += Number(rows.length > 0);
    return;
  }
  const ids = await answer(engine, session, asked, given.how);
  expect([sql, ids]).toEqual([sql, rows.map(([id]) => id)]);
  reached.rows += ids.length;
  // What those find who may see all: a filter that found the same for everyone would prove nothing of hidden rows.
  if (given.limit < 200) return;
  const all = idsOf(engine, await find(engine, engine.session(INTERNAL), asked));
  reached.hidden += Number(all.length !== ids.length);
}

function note(asked: Query, given: Wanted): void {
  const paths = predicatesIn(asked).flatMap(({ at }) => at ?? []);
  reached.threeHops += Number(paths.some(({ hops }) => hops.length === 3));
  reached.json += Number(paths.some(({ hops, inside }) => hops.length === 0 && inside.length > 0));
  reached.farJson += Number(paths.some(({ hops, inside }) => hops.length > 0 && inside.length > 0));
  reached.negated += Number(JSON.stringify(given.groups).includes('[not]'));
}

test(`filters by far values find what PostgreSQL finds (seed ${seed})`, async () => {
  const both = engines();
  for (const statement of allStatements(both[0]!)) await database.exec(statement);
  const property = fc.asyncProperty(wanted, async (given) => {
    const first = queryOf(both[0]!, both[0]!.session(USER), given);
    const sql = sqlOf(both[0]!, first);
    const { rows } = await database.query<unknown[]>(sql, [], { rowMode: 'array' });
    for (const engine of both) await check(engine, queryOf(engine, engine.session(USER), given), given, [sql, rows]);
    note(first, given);
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);

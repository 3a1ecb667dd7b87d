/**
 * Filters over links: the engine, from what callers write on, against PostgreSQL. There the rows that the caller may not see are missing, and the
 * pairs that name them are not: a filter that tells a hidden row from an absent one differs.
 */
import { expect, test } from 'vitest';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { predicatesIn, type Conjunction, type FarRows, type Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { selectSql } from '#actors/engine/rows/sql.ts';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { USER } from '#test/kit/data-call.ts';
import { asRequest, type Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import type { Filter } from '../path/far-scenario.ts';
import { allStatements, engines, filterOf, seed, type Name } from './scenario.ts';

const RUNS = rounds({ suite: 100, ci: 750 }, 'SKEP_QUERY_RUNS');

const wanted = fc.constantFrom<Name>('tag', 'ticket', 'ticket', 'comment').chain((entity) =>
  fc.record({
    entity: fc.constant(entity),
    filters: fc.array(filterOf(entity, 3), { minLength: 1, maxLength: 2 }),
    /** As one parameter of a query string, beside the search's body. */
    inText: fc.boolean(),
    order: fc.constantFrom('', 'id', '-id'),
    limit: fc.constantFrom(3, 20, 200, 200),
    deleted: fc.constantFrom(false, false, true),
    inSlices: fc.boolean(),
  }),
);
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

function queryOf(engine: Engine, session: Session, given: Wanted): Query {
  const model = engine.models.get(given.entity)!;
  const asker = { session, request: asRequest(given.entity) };
  const search = new URLSearchParams({ limit: String(given.limit), deleted: String(given.deleted) });
  if (given.order !== '') search.set('orderby', given.order);
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
  linked: 0,
};

const database = await emptyPostgres();

async function find(engine: Engine, session: Session, entity: Name, asked: Query): Promise<Found> {
  const found = await findRows(session, engine.models.get(entity)!, asRequest(entity), () => asked);
  if (isFailure(found)) throw new Error(found.message);
  return found;
}

const idsOf = ({ models }: Engine, entity: Name, { rows }: Found): unknown[] =>
  rows.map(({ slots }) => models.get(entity)!.shape(slots)['id']);

async function check(engine: Engine, given: Wanted, sql: string, expected: readonly unknown[]): Promise<void> {
  const session = engine.session(USER);
  const asked = queryOf(engine, session, given);
  const before = engine.yields;
  const look = () => find(engine, session, given.entity, asked);
  const found = await (given.inSlices ? fuelled(3000, look) : look());
  reached.sliced += Number(engine.yields > before);
  reached[found.plan.kind === 'table' ? 'byRow' : 'narrowed']++;
  const ids = idsOf(engine, given.entity, found);
  expect([sql, ids]).toEqual([sql, expected]);
  reached.rows += ids.length;
  if (given.limit < 200) return;
  // What those find who may see all: a filter that found the same for everyone would prove nothing of hidden rows.
  const all = await find(engine, engine.session(INTERNAL), given.entity, asked);
  reached.hidden += Number(all.rows.length !== ids.length);
}

const rowsIn = (conditions: Conjunction): FarRows[] => predicatesIn(conditions).flatMap(({ at }) => at?.rows ?? []);

function note(asked: Query, filters: readonly Filter[]): void {
  const text = JSON.stringify(filters);
  for (const quantifier of ['some', 'none', 'every'] as const) reached[quantifier] += Number(text.includes(quantifier));
  reached.linked += Number(rowsIn(asked).some(({ over }) => over !== undefined));
  reached.nested += Number(rowsIn(asked).some(({ of }) => rowsIn(of).some(({ over }) => over !== undefined)));
  reached.behindHops += Number(
    predicatesIn(asked).some(({ at }) => at?.rows?.over !== undefined && at.hops.length > 0),
  );
}

test(`filters over links find what PostgreSQL finds (seed ${seed})`, async () => {
  const both = engines();
  for (const statement of allStatements(both[0]!)) await database.exec(statement);
  const property = fc.asyncProperty(wanted, async (given) => {
    const asked = queryOf(both[0]!, both[0]!.session(USER), given);
    const sql = selectSql(both[0]!.models.get(given.entity)!, asked);
    const { rows } = await database.query<unknown[]>(sql, [], { rowMode: 'array' });
    for (const engine of both)
      await check(
        engine,
        given,
        sql,
        rows.map(([id]) => id),
      );
    note(asked, given.filters);
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);

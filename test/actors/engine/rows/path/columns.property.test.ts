/**
 * Orders, groups and aggregates by values of other rows, and pages by cursors in such orders: the engine, from what callers write on, against
 * PostgreSQL, where the rows that the caller may not see are missing.
 */
import { expect, test } from 'vitest';
import { cursorOf, placeOf } from '#actors/engine/rows/cursor/cursor.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import type { Query } from '#actors/engine/rows/query.ts';
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
import { allStatements, engines, seed } from './far-scenario.ts';
import { filterOf } from './many-scenario.ts';

const RUNS = rounds({ suite: 100, ci: 1000 }, 'SKEP_QUERY_RUNS');

const PATHS = [
  '[ticket.status]',
  '[ticket.rank]',
  '[ticket.price]',
  '[ticket.due]',
  '[ticket.open]',
  '[ticket.id]',
  '[ticket.requester.grade]',
  '[ticket.requester.age]',
  '[ticket.requester.boss.grade]',
  '[ticket.requester.boss_id]',
];
const OWN = ['id', 'text', 'ticket_id'];
const NUMBERS = ['[ticket.rank]', '[ticket.price]', '[ticket.requester.age]'];

const path = fc.constantFrom(...PATHS, ...PATHS, ...OWN);
const directed = (name: fc.Arbitrary<string>) =>
  fc.tuple(name, fc.boolean()).map(([one, falls]) => (falls ? `-${one}` : one));
const aggregate = fc.oneof(
  fc.tuple(
    fc.constantFrom('count', 'count_distinct', 'min', 'max'),
    fc.constantFrom(...PATHS.filter((one) => one !== '[ticket.open]')),
  ),
  fc.tuple(fc.constantFrom('sum'), fc.constantFrom(...NUMBERS)),
);
const list = (of: fc.Arbitrary<string>, minLength: number) =>
  fc.uniqueArray(of, { minLength, maxLength: 3 }).map((all) => all.join(','));
const ordered = fc.record({
  kind: fc.constant('ordered' as const),
  order: list(directed(path), 1),
  filter: fc.oneof(fc.constant({}), filterOf('comment', 2, 1)),
  limit: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(200)),
  offset: fc.constantFrom(0, 0, 3),
  deleted: fc.boolean(),
  how: fc.constantFrom('turn', 'slices', 'walk', 'cursors', 'cursors back'),
});
const grouped = fc.record({
  kind: fc.constant('grouped' as const),
  groupby: list(path, 1),
  aggregates: fc.uniqueArray(aggregate, { maxLength: 2, selector: String }),
  filter: fc.oneof(fc.constant({}), filterOf('comment', 2, 1)),
  deleted: fc.boolean(),
});
const wanted = fc.oneof({ weight: 3, arbitrary: ordered }, { weight: 2, arbitrary: grouped });
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

function queryOf(engine: Engine, session: Session, given: Wanted, places: Partial<Query> = {}): Query {
  const model = engine.models.get('comment')!;
  const asker = { session, request: asRequest('comment') };
  const search = new URLSearchParams({ deleted: String(given.deleted) });
  if (given.kind === 'grouped') {
    search.set('groupby', given.groupby);
    search.set('[aggregate]', ['count', ...given.aggregates.map(([of, one]) => `${of}(${one})`)].join(','));
  } else {
    search.set('orderby', given.order);
    search.set('limit', String(given.limit));
    // Walks and pages begin at the first row.
    if (given.how === 'turn' || given.how === 'slices') search.set('offset', String(given.offset));
  }
  const more = parseFilter(model, given.filter, asker);
  if (isFailure(more)) throw new Error(more.message);
  const parsed = parseQuery(model, new Parameters(search), session, more, asker);
  if (isFailure(parsed)) throw new Error(`${search.toString()}: ${parsed.message}`);
  return { ...parsed, ...places };
}

const reached = { rows: 0, hidden: 0, sliced: 0, walked: 0, groups: 0, paged: 0, pages: 0, pagedBack: 0, nulls: 0 };
const database = await emptyPostgres();

async function find(engine: Engine, session: Session, asked: Query): Promise<Found> {
  const found = await findRows(session, engine.models.get('comment')!, asRequest('comment'), () => asked);
  if (isFailure(found)) throw new Error(found.message);
  return found;
}

const idsOf = ({ models }: Engine, { rows }: Pick<Found, 'rows'>): unknown[] =>
  rows.map(({ slots }) => models.get('comment')!.shape(slots)['id']);

/** All rows, page by page, as the cursors lead. */
async function paged(engine: Engine, session: Session, given: Wanted, isBackward: boolean): Promise<unknown[]> {
  const model = engine.models.get('comment')!;
  const ids: unknown[] = [];
  let cursor: string | null = null;
  if (isBackward) {
    const { rows } = await find(engine, session, { ...queryOf(engine, session, given), limit: 1000 });
    const last = rows.at(-1);
    if (last === undefined) return [];
    ids.push(...idsOf(engine, { rows: [last] }));
    cursor = cursorOf(session, model, queryOf(engine, session, given).order, last.slots) as string;
  }
  for (;;) {
    const asked = queryOf(engine, session, given);
    const place = cursor === null ? null : placeOf(session, model, asked.order, 'after', cursor);
    if (place !== null && isFailure(place)) throw new Error(place.message);
    const found = await find(engine, session, {
      ...asked,
      peek: true,
      ...(isBackward ? { before: place } : { after: place }),
    });
    const own = idsOf(engine, found);
    ids.splice(isBackward ? 0 : ids.length, 0, ...own);
    reached.pages++;
    const edge = isBackward ? found.rows[0] : found.rows.at(-1);
    if (!found.more || edge === undefined) return ids;
    cursor = cursorOf(session, model, asked.order, edge.slots) as string;
  }
}

async function answer(engine: Engine, session: Session, given: Wanted & { kind: 'ordered' }): Promise<unknown[]> {
  const asked = queryOf(engine, session, given);
  if (given.how === 'walk') {
    reached.walked++;
    const batches = await walkRows(session, engine.models.get('comment')!, asRequest('comment'), asked);
    if (isFailure(batches)) throw new Error(batches.message);
    const ids: unknown[] = [];
    for await (const rows of batches) ids.push(...idsOf(engine, { rows }));
    return ids;
  }
  if (given.how.startsWith('cursors')) {
    const isBackward = given.how === 'cursors back';
    reached[isBackward ? 'pagedBack' : 'paged']++;
    return paged(engine, session, given, isBackward);
  }
  const before = engine.yields;
  const look = () => find(engine, session, asked);
  const found = await (given.how === 'slices' ? fuelled(3000, look) : look());
  reached.sliced += Number(engine.yields > before);
  return idsOf(engine, found);
}

type Expected = readonly [sql: string, rows: readonly (readonly unknown[])[]];

async function check(engine: Engine, given: Wanted, [sql, rows]: Expected): Promise<void> {
  const session = engine.session(USER);
  if (given.kind === 'grouped') {
    const found = await find(engine, session, queryOf(engine, session, given));
    expect([sql, found.groups!.map((cells) => cells.map(shown))]).toEqual([sql, rows.map((cells) => cells.map(shown))]);
    reached.groups += rows.length;
    reached.nulls += Number(rows.some((cells) => cells.includes(null)));
    return;
  }
  const ids = await answer(engine, session, given);
  expect([sql, ids]).toEqual([sql, rows.map(([id]) => id)]);
  reached.rows += ids.length;
  if (given.how === 'walk' || given.how.startsWith('cursors')) return;
  const all = idsOf(
    engine,
    await find(engine, engine.session(INTERNAL), queryOf(engine, engine.session(INTERNAL), given)),
  );
  reached.hidden += Number(String(all) !== String(ids));
}

/** Numbers alike, however many zeros they end with; days as dates. */
function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  const text = String(value);
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

test(`orders and groups by far values are those of PostgreSQL (seed ${seed})`, async () => {
  const both = engines();
  for (const statement of allStatements(both[0]!)) await database.exec(statement);
  const property = fc.asyncProperty(wanted, async (given) => {
    const model = both[0]!.models.get('comment')!;
    const isPaged = given.kind === 'ordered' && given.how.startsWith('cursors');
    const asked = queryOf(both[0]!, both[0]!.session(USER), given, isPaged ? { limit: 1000, offset: 0 } : {});
    const sql = asked.group === null ? selectSql(model, asked) : groupSql(model, asked, asked.group);
    const { rows } = await database.query<unknown[]>(sql, [], { rowMode: 'array' });
    for (const engine of both) await check(engine, given, [sql, rows]);
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);

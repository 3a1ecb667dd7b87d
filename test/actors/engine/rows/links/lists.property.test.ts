/** What each row shows of its links, as rows and as ids, against statements of PostgreSQL that are written here: of rows that the caller may see alone. */
import { expect, test } from 'vitest';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import type { Related } from '#actors/engine/rows/include/load.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { findRows } from '#actors/engine/rows/read.ts';
import { includeSql } from '#actors/engine/rows/sql.ts';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { USER } from '#test/kit/data-call.ts';
import { asRequest, type Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { allStatements, engines, seed } from './scenario.ts';

const RUNS = rounds({ suite: 60, ci: 500 }, 'SKEP_QUERY_RUNS');

interface Side {
  readonly entity: 'ticket' | 'tag';
  readonly relation: string;
  readonly to: 'ticket' | 'tag';
  readonly pairs: string;
  /** The columns of a pair: of the row that has the relation, and of the other one. */
  readonly by: string;
  readonly over: string;
}

const SIDES: readonly Side[] = [
  { entity: 'ticket', relation: 'tags', to: 'tag', pairs: 'ticket.tags', by: 'source', over: 'target' },
  { entity: 'tag', relation: 'ticket_by_tags', to: 'ticket', pairs: 'ticket.tags', by: 'target', over: 'source' },
  { entity: 'ticket', relation: 'related', to: 'ticket', pairs: 'ticket.related', by: 'source', over: 'target' },
  {
    entity: 'ticket',
    relation: 'ticket_by_related',
    to: 'ticket',
    pairs: 'ticket.related',
    by: 'target',
    over: 'source',
  },
];

const wanted = fc.record({
  side: fc.constantFrom(...SIDES),
  as: fc.constantFrom<'rows' | 'ids'>('rows', 'rows', 'ids'),
  least: fc.option(fc.integer({ min: 1, max: 8 })),
  order: fc.constantFrom('', 'id', '-id', 'rank', '-rank'),
  limit: fc.constantFrom(null, null, 0, 1, 2),
  deleted: fc.constantFrom(false, false, true),
  inSlices: fc.boolean(),
});
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

const reached = { shown: 0, ids: 0, cut: 0, ordered: 0, filtered: 0, sliced: 0, backward: 0, self: 0 };
const database = await emptyPostgres();

function parametersOf({ side: { relation }, as, least, order, limit, deleted }: Wanted): Parameters {
  const search = new URLSearchParams({ limit: '1000', deleted: String(deleted) });
  if (as === 'ids') search.set('fields', `id,${relation}`);
  else {
    search.set('include', relation);
    if (least !== null) search.set(`[${relation}][filter]`, JSON.stringify({ rank: { gte: least } }));
    if (order !== '') search.set(`[${relation}][orderby]`, order);
    if (limit !== null) search.set(`[${relation}][limit]`, String(limit));
  }
  return new Parameters(search);
}

type ByRow = Record<string, string[]>;

async function shownBy(engine: Engine, given: Wanted): Promise<{ shown: ByRow; related: Related }> {
  const session = engine.session(USER);
  const { entity, to } = given.side;
  const model = engine.models.get(entity)!;
  const request = asRequest(entity);
  const look = () =>
    findRows(session, model, request, () =>
      parseQuery(model, parametersOf(given), session, NO_CONDITIONS, { session, request }),
    );
  const before = engine.yields;
  const found = await (given.inSlices ? fuelled(1500, look) : look());
  if (isFailure(found)) throw new Error(found.message);
  reached.sliced += Number(engine.yields > before);
  const [related] = found.related;
  const { key } = engine.models.get(to)!;
  const shown: ByRow = {};
  for (const { slots } of found.rows) {
    const rows = related!.rows.get(slots[model.key.at]) ?? [];
    shown[slots[model.key.at] as string] = rows.map((row) => row.slots[key.at] as string);
  }
  return { shown, related: related! };
}

function sqlOf({ side: { entity, to, pairs, by, over }, as, least, order, limit, deleted }: Wanted): string {
  const live = (name: string): string => (deleted ? '' : ` AND ${name}.deleted_at IS NULL`);
  const isAsked = as === 'rows';
  const atLeast = isAsked && least !== null ? ` AND o.rank >= ${least}` : '';
  const [, sign, field] = /^(-?)(.*)$/.exec(isAsked && order !== '' ? order : 'id')!;
  const way = sign === '-' ? 'DESC' : 'ASC';
  const nulls = sign === '-' ? 'LAST' : 'FIRST';
  const most = isAsked && limit !== null ? ` LIMIT ${limit}` : '';
  const others = `SELECT o.id FROM "${pairs}" p JOIN "${to}" o ON o.id = p."${over}" WHERE p."${by}" = r.id${live('o')}${atLeast}
    ORDER BY o."${field}" ${way} NULLS ${nulls}, o.id ${way}${most}`;
  return `SELECT r.id, ARRAY(${others}) AS ids FROM "${entity}" r WHERE TRUE${live('r')} ORDER BY r.id`;
}

test(`each row shows the rows that PostgreSQL finds linked with it (seed ${seed})`, async () => {
  const both = engines();
  for (const statement of allStatements(both[0]!)) await database.exec(statement);
  const property = fc.asyncProperty(wanted, async (given) => {
    const sql = sqlOf(given);
    const { rows } = await database.query<{ id: string; ids: string[] }>(sql);
    const expected: ByRow = Object.fromEntries(rows.map(({ id, ids }) => [id, ids]));
    for (const engine of both) {
      const { shown, related } = await shownBy(engine, given);
      expect([sql, shown]).toEqual([sql, expected]);
      // The statement that `stats` shows finds as many.
      const said = await database.query(includeSql(related, given.deleted)[0]!);
      const count = Object.values(shown).flat().length;
      expect(said.rows.length).toBe(count);
      note(given, count);
    }
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);

function note({ side, as, least, order, limit }: Wanted, count: number): void {
  reached.shown += count;
  reached.ids += Number(as === 'ids' && count > 0);
  reached.cut += Number(as === 'rows' && limit !== null && count > 0);
  reached.ordered += Number(as === 'rows' && order !== '' && count > 0);
  reached.filtered += Number(as === 'rows' && least !== null && count > 0);
  reached.backward += Number(side.by === 'target' && count > 0);
  reached.self += Number(side.to === side.entity && count > 0);
}

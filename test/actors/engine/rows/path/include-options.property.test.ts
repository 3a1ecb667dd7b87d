/** Options of includes: the rows that each ticket shows of its comments, against PostgreSQL, which answers for each ticket on its own. */
import { expect, test } from 'vitest';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { predicatesIn, query, type Include } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { includeSql, selectSql } from '#actors/engine/rows/sql.ts';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { USER } from '#test/kit/data-call.ts';
import { asRequest, type Engine } from '#test/kit/data-session.ts';
import { emptyPostgres } from '#test/kit/postgres.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { allStatements, engines, group, seed, type Filter } from './far-scenario.ts';

const RUNS = rounds({ suite: 30, ci: 500 }, 'SKEP_QUERY_RUNS');
const reached = { rows: 0, cut: 0, ordered: 0, far: 0, sliced: 0, filtered: 0 };

const wanted = fc.record({
  filter: fc.option(group),
  order: fc.constantFrom('', 'id', '-id', 'text', '-text', '-ticket_id,text'),
  limit: fc.constantFrom(null, null, 0, 1, 2, 3),
  deleted: fc.constantFrom(false, false, true),
  slices: fc.boolean(),
});
type Wanted = typeof wanted extends fc.Arbitrary<infer T> ? T : never;

const database = await emptyPostgres();

function parametersOf({ filter, order, limit, deleted }: Wanted): Parameters {
  const search = new URLSearchParams({ include: 'comment_by_ticket', limit: '1000', deleted: String(deleted) });
  const option = (name: string, text: string): void => search.set(`[comment_by_ticket][${name}]`, text);
  if (filter !== null) option('filter', JSON.stringify(filter satisfies Filter));
  if (order !== '') option('orderby', order);
  if (limit !== null) option('limit', String(limit));
  return new Parameters(search);
}

async function find(engine: Engine, given: Wanted): Promise<Found> {
  const session = engine.session(USER);
  const model = engine.models.get('ticket')!;
  const request = asRequest('ticket');
  const parse = () => parseQuery(model, parametersOf(given), session, NO_CONDITIONS, { session, request });
  const before = engine.yields;
  const find = () => findRows(session, model, request, parse);
  const found = await (given.slices ? fuelled(3000, find) : find());
  if (isFailure(found)) throw new Error(found.message);
  reached.sliced += Number(engine.yields > before);
  return found;
}

/** The ids of comments by ticket; tickets without any are left out. */
type ByTicket = Record<string, string[]>;

function shownBy(engine: Engine, found: Found): ByTicket {
  const comment = engine.models.get('comment')!;
  const shown: ByTicket = {};
  for (const [ticket, rows] of found.related[0]!.rows)
    shown[ticket as string] = rows.map(({ slots }) => comment.shape(slots)['id'] as string);
  return shown;
}

type Cell = { readonly id: string; readonly ticket_id: string };

function grouped(rows: readonly Cell[], tickets: ReadonlySet<string>, limit: number): ByTicket {
  const by: ByTicket = {};
  for (const { id, ticket_id } of rows) {
    if (!tickets.has(ticket_id) || (by[ticket_id]?.length ?? 0) >= limit) continue;
    (by[ticket_id] ??= []).push(id);
  }
  return by;
}

test(`each row includes what PostgreSQL finds for it (seed ${seed})`, async () => {
  const both = engines();
  for (const statement of allStatements(both[0]!)) await database.exec(statement);
  const property = fc.asyncProperty(wanted, async (given) => {
    for (const engine of both) {
      const comment = engine.models.get('comment')!;
      const ticket = engine.models.get('ticket')!;
      const found = await find(engine, given);
      const include: Include = found.query.include[0]!;
      const asked = include.asked ?? query('comment', {});
      const all = selectSql(comment, { ...asked, limit: Infinity, deleted: given.deleted });
      const tickets = new Set(found.rows.map(({ slots }) => ticket.shape(slots)['id'] as string));
      const limit = given.limit ?? Infinity;
      const { rows } = await database.query<Cell>(all);
      const expected = grouped(rows, tickets, limit);
      const shown = shownBy(engine, found);
      expect([all, shown]).toEqual([all, expected]);
      // The statement that `stats` shows says the same of the tickets that have any.
      const said = await database.query<Cell>(includeSql(found.related[0]!, given.deleted)[0]!);
      if (include.asked !== null) expect(grouped(said.rows, tickets, Infinity)).toEqual(shown);
      reached.rows += Object.values(shown).flat().length;
      reached.cut += Number(
        rows.filter(({ ticket_id }) => tickets.has(ticket_id)).length > Object.values(shown).flat().length,
      );
      reached.ordered += Number(asked.order.length > 0);
      reached.far += Number(predicatesIn(asked).some(({ at }) => at !== undefined));
      reached.filtered += Number(given.filter !== null && Object.keys(shown).length > 0);
    }
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);

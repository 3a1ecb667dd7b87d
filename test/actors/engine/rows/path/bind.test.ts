/** What binding a query to a view costs, and what bounds it (docs/contract/data.md §5.4.1). */
import { beforeAll, describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { filterOf } from '#actors/engine/rows/filter.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { boundTo, crossesReferences } from '#actors/engine/rows/path/bind.ts';
import { query, type Query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { SchemaMoved } from '#actors/engine/rows/schema-moved.ts';
import { fuelled, fuelLeft } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const STATUSES = 12;
const EACH = 60;
const COMMENTS = 100;
const engine = new Engine(
  productOf([
    entityOf(
      'ticket',
      { id: { type: 'string' }, status: { type: 'string' }, rank: { type: 'integer' } },
      { index: [['status']] },
    ),
    entityOf('comment', { id: { type: 'string' }, ticket_id: { type: 'ref', ref: { entity: 'ticket' } } }),
  ]),
);
const session = engine.session();
const comment = engine.models.get('comment')!;
const asker = { session, request: asRequest('comment') };

beforeAll(() => {
  const put = (entity: string, row: Record<string, unknown>): void => {
    const written = createRow(session, engine.models.get(entity)!, row, asRequest(entity));
    if (isFailure(written)) throw new Error(written.message);
  };
  for (let no = 0; no < STATUSES * EACH; no++)
    put('ticket', { id: `t${no}`, status: `s${no % STATUSES}`, rank: no % 2 });
  for (let no = 0; no <= limits.data.planRangesMax; no++) put('ticket', { id: `m${no}`, status: 'many' });
  for (let no = 0; no < COMMENTS; no++) put('comment', { id: `c${no}`, ticket_id: 't0' });
  engine.end(true);
});

function asking(...filters: object[]): Query {
  const conditions = parseFilter(comment, { '[and]': filters }, asker);
  if (isFailure(conditions)) throw new Error(conditions.message);
  return query('comment', conditions);
}
const status = (no: number) => ({ '[ticket.status]': `s${no}` });
const bound = (asked: Query): Query => boundTo(engine.turn, asker, comment, asked, false);
/** Of each condition, whether its rows are looked up one by one. */
const lookedUp = ({ where }: Query): boolean[] => where.map(({ at }) => at !== undefined);

describe('a condition over a reference', () => {
  test('becomes one of the row itself where an index has few rows', () => {
    const { where } = bound(asking(status(0)));
    expect(where).toMatchObject([{ field: 'ticket_id', op: 'in', value: { length: EACH } }]);
    expect(crossesReferences({ where, any: [] })).toBe(false);
  });

  test('stays where they are many, where no index has them, and where nothing being there meets it', () => {
    expect(lookedUp(bound(asking({ '[ticket.status]': 'many' })))).toEqual([true]);
    expect(lookedUp(bound(asking({ '[ticket.rank]': 1 })))).toEqual([true]);
    expect(lookedUp(bound(asking({ '[ticket.status]': null })))).toEqual([true]);
    expect(lookedUp(bound(asking({ '[ticket.id]': null })))).toEqual([true]);
  });

  test('all of a query look at so many entries beforehand', () => {
    const all = lookedUp(bound(asking(...Array.from({ length: STATUSES }, (_, no) => status(no)))));
    const narrowed = Math.floor(limits.data.crossingProbesMax / EACH);
    expect(all).toEqual(Array.from({ length: STATUSES }, (_, no) => no >= narrowed));
    expect(narrowed).toBeLessThan(STATUSES);
  });

  test('and none where little fuel is left', () => {
    expect(fuelled(1000, () => lookedUp(bound(asking(status(0)))))).toEqual([true]);
  });

  test('reads each referenced row once, which burns fuel', () => {
    const spent = fuelled(1_000_000, () => {
      const found = findRows(session, comment, asRequest('comment'), () => asking({ '[ticket.rank]': 0 })) as Found;
      expect(found.rows).toHaveLength(COMMENTS);
      return 1_000_000 - fuelLeft();
    });
    expect(spent).toBeGreaterThanOrEqual(limits.rules.followUnits);
    expect(spent).toBeLessThan(2 * limits.rules.followUnits);
  });

  test('is not answered without a view, nor by a model that a plan has replaced', () => {
    const asked = asking({ '[ticket.rank]': 0 });
    expect(() => filterOf(comment, asked)).toThrow('ticket.rank is not bound to a view');
    const ticket = engine.models.get('ticket')!;
    ticket.retired = true;
    const find = (one: Query) => () => findRows(session, comment, asRequest('comment'), () => one);
    expect(find(asked)).toThrow(SchemaMoved);
    expect(find(asking(status(0)))).toThrow(SchemaMoved);
    ticket.retired = false;
  });
});

/** A row with more rows on the other side than one slice looks at, and what a condition of them costs (docs/contract/data.md §5.4.3). */
import { beforeAll, describe, expect, test } from 'vitest';
import { changeFound } from '#actors/engine/rows/change-found.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { parseInclude } from '#actors/engine/rows/include/parse.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { boundTo, crossesReferences } from '#actors/engine/rows/path/bind.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { findRows } from '#actors/engine/rows/read.ts';
import { SchemaMoved } from '#actors/engine/rows/schema-moved.ts';
import { walkRows } from '#actors/engine/rows/walk.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const MANY = 6000;
const id = { type: 'string' } as const;
const ref = (entity: string) => ({ type: 'ref', nullable: true, ref: { entity } }) as const;
const engine = new Engine(
  productOf([
    entityOf('ticket', { id, status: { type: 'string' } }, { index: [['status']] }),
    entityOf(
      'comment',
      { id, ticket_id: ref('ticket'), label: { type: 'string' }, no: { type: 'integer' } },
      { index: [['label']] },
    ),
  ]),
);
const session = engine.session();
const model = (name: string): EntityModel => engine.models.get(name)!;

beforeAll(() => {
  const put = (entity: string, row: Record<string, unknown>): void => {
    const written = createRow(session, model(entity), row, asRequest(entity));
    if (isFailure(written)) throw new Error(written.message);
  };
  for (const key of ['a', 'b', 'c']) put('ticket', { id: key, status: key === 'c' ? 'done' : 'new' });
  for (let no = 0; no < MANY; no++)
    put('comment', { id: `m${String(no).padStart(5, '0')}`, ticket_id: 'a', no, label: no < 3 ? 'few' : 'many' });
  put('comment', { id: 'n1', ticket_id: 'b', no: 1, label: 'few' });
  put('comment', { id: 'n2', ticket_id: null, no: 2, label: 'few' });
  engine.end(true);
});

function asking(entity: string, query: string): Query {
  const asker = { session, request: asRequest(entity) };
  const parsed = parseQuery(model(entity), new Parameters(new URLSearchParams(query)), session, undefined, asker);
  if (isFailure(parsed)) throw new Error(parsed.message);
  return parsed;
}

async function found(entity: string, query: string): Promise<readonly unknown[]> {
  const answer = await findRows(session, model(entity), asRequest(entity), () => asking(entity, query));
  if (isFailure(answer)) throw new Error(answer.message);
  return answer.groups ?? answer.rows.map(({ slots }) => model(entity).shape(slots)['id']);
}

const LAST = `[comment_by_ticket.no]=${MANY - 1}`;
const NONE = `[comment_by_ticket][none]={"no":${MANY - 1}}`;

describe('a row with more of them than a slice looks at', () => {
  test('is answered over several slices, by any plan', async () => {
    for (const [query, ids] of [
      [LAST, ['a']],
      [NONE, ['b', 'c']],
      [`[comment_by_ticket][every]={"no":{"lt":${MANY}}}`, ['a', 'b', 'c']],
      [`${NONE}&status=new`, ['b']],
      [`${NONE}&id[in]=a,b`, ['b']],
      [`${NONE}&status[in]=new,done&orderby=status`, ['c', 'b']],
      [`[or]=[{"status":"done"},{"status":"new","[comment_by_ticket.no]":${MANY - 1}}]`, ['a', 'c']],
      [`[or]=[{"status":"done"},{"status":"new","[comment_by_ticket.no]":${MANY - 1}}]&orderby=-id`, ['c', 'a']],
    ] as const) {
      const before = engine.yields;
      expect([query, (await found('ticket', query)).map(String).toSorted()]).toEqual([query, ids.toSorted()]);
      expect([query, engine.yields > before + 2]).toEqual([query, true]);
    }
  });

  test('also over another row, and where conditions stand in conditions', async () => {
    expect(await found('comment', `[ticket.comment_by_ticket.no]=${MANY - 1}&no=2&orderby=id`)).toEqual(['m00002']);
    const nested = `{"[ticket.comment_by_ticket][some]":{"no":${MANY - 1}}}`;
    expect(await found('ticket', `[comment_by_ticket][some]=${nested}`)).toEqual(['a']);
  });

  test('in groups, exports, includes and changes by a filter', async () => {
    expect(await found('ticket', `${LAST}&groupby=status&[aggregate]=count`)).toEqual([['new', 1]]);
    const walked: unknown[] = [];
    const batches = await walkRows(session, model('ticket'), asRequest('ticket'), asking('ticket', NONE));
    if (isFailure(batches)) throw new Error(batches.message);
    for await (const rows of batches) walked.push(...rows.map(({ slots }) => model('ticket').shape(slots)['id']));
    expect(walked).toEqual(['b', 'c']);
    const changed = await changeFound(session, model('ticket'), {
      verb: 'update',
      wanted: 1,
      input: { status: 'new' },
      purge: false,
      method: 'PATCH',
      parse: () => asking('ticket', LAST),
    });
    expect(changed).toMatchObject({ kind: 'changed', total: 1 });
  });

  test('in what an include shows', async () => {
    const include = parseInclude(model('comment'), ['ticket'], 1);
    if (isFailure(include)) throw new Error(include.message);
    const asked = asking('ticket', NONE);
    const query = { ...asking('comment', 'label=few&orderby=id'), include: [{ ...include[0]!, asked }] };
    const answer = await findRows(session, model('comment'), asRequest('comment'), () => query);
    if (isFailure(answer)) throw new Error(answer.message);
    expect([...answer.related[0]!.rows.keys()]).toEqual(['b']);
  });
});

describe('where an index has the rows that are to meet the condition', () => {
  const boundWhere = (query: string) => {
    const asked = asking('ticket', query);
    const asker = { session, request: asRequest('ticket') };
    return boundTo(engine.turn, asker, model('ticket'), asked, false);
  };

  test('it becomes one of the keys that they refer to, each once', () => {
    const { where } = boundWhere('[comment_by_ticket.label]=few');
    expect(where).toEqual([{ kind: 'predicate', field: 'id', op: 'in', value: ['a', 'b'] }]);
    expect(boundWhere('[comment_by_ticket][some]={"label":"few","no":1}').where).toMatchObject([
      { field: 'id', op: 'in', value: ['a', 'b'] },
    ]);
    expect(boundWhere('[comment_by_ticket][some]={"label":"few","no":2}').where).toMatchObject([
      { field: 'id', op: 'in', value: ['a'] },
    ]);
  });

  test('beside it stands the look, where rows behind them must be read', () => {
    const { where } = boundWhere('[comment_by_ticket][some]={"label":"few","[ticket.comment_by_ticket.no]":5999}');
    expect(where.map(({ field }) => field)).toEqual(['id', 'comment_by_ticket']);
    expect(crossesReferences({ where: where.slice(1), any: [] })).toBe(true);
  });

  test('it stays where they are too many, and where no or every row is asked about', () => {
    for (const query of [
      '[comment_by_ticket.label]=many',
      '[comment_by_ticket.no]=1',
      '[comment_by_ticket][none]={"label":"few"}',
      '[comment_by_ticket][every]={"label":"few"}',
      '[not]={"[comment_by_ticket.label]":"few"}',
    ])
      expect([query, crossesReferences(boundWhere(query))]).toEqual([query, true]);
  });

  test('a model that a plan has replaced is not read', () => {
    model('comment').retired = true;
    expect(() => boundWhere('[comment_by_ticket.label]=few')).toThrow(SchemaMoved);
    model('comment').retired = false;
  });
});

test('the bounds of paths and conditions count what stands in conditions', () => {
  const { filterHopsMax, filterCrossingMax, filterPredicatesMax } = limits.data;
  const refused = (query: string): string => {
    const asker = { session, request: asRequest('ticket') };
    const search = new Parameters(new URLSearchParams(query));
    const parsed = parseQuery(model('ticket'), search, session, undefined, asker);
    if (isFailure(parsed)) return parsed.message;
    const answer = findRows(session, model('ticket'), asRequest('ticket'), () => parsed);
    return !(answer instanceof Promise) && isFailure(answer) ? answer.message : '';
  };
  const deep = `[comment_by_ticket][some]={"[ticket.comment_by_ticket][some]":{"[ticket.status]":"new"}}`;
  expect(refused(deep)).toBe(`a path follows at most ${filterHopsMax} references`);
  const times = (count: number, of: object): string => JSON.stringify(Array.from({ length: count }, () => of));
  expect(refused(`[comment_by_ticket][some]={"[and]":${times(filterCrossingMax, { '[ticket.status]': 'new' })}}`)).toBe(
    `at most ${filterCrossingMax} conditions over references`,
  );
  expect(refused(`[comment_by_ticket][some]={"[and]":${times(filterPredicatesMax + 1, { no: 1 })}}`)).toBe(
    `at most ${filterPredicatesMax} predicates`,
  );
  expect(refused(`[comment_by_ticket][some]={"[and]":${times(filterPredicatesMax / 2, { no: 1 })}}`)).toBe('');
});

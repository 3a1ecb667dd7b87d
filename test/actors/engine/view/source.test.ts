/** Views read by the engine: under whose rules, narrowed by what, refused when. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { Found } from '#actors/engine/rows/found.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { findRows } from '#actors/engine/rows/read.ts';
import { sessionWith, type Session } from '#actors/engine/rows/session.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { findViewRow } from '#actors/engine/view/find-row.ts';
import { limits } from '#config/limits.ts';
import { INTERNAL, type Principal } from '#actors/protocol/principal.ts';
import { entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { viewOf } from '#test/kit/view-definition.ts';

const ADA: Principal = { ...USER, subject: 'ada', roles: ['agent'] };
const BOB: Principal = { ...USER, subject: 'bob', roles: ['clerk'] };

const PRODUCT = {
  ...productOf([
    entityOf(
      'ticket',
      {
        id: { type: 'string' },
        owner: { type: 'string' },
        state: { type: 'enum', enum: ['open', 'done'] },
        cost: { type: 'integer', roles: { read: ['agent'] } },
        mail: { type: 'string', mask: 'email' },
      },
      { rowRule: 'row.owner == principal.subject', index: [['owner'], ['state']] },
    ),
    entityOf('note', { id: { type: 'string' }, ticket_id: { type: 'ref', ref: { entity: 'ticket' } } }),
  ]),
  views: [
    viewOf(
      'desk',
      { id: 'string', state: 'string', cost: 'integer', mail: 'string', notes: 'integer' },
      `select t.id, t.state, t.cost, t.mail, count(n.id) as notes
         from ticket t left join note n on n.ticket_id = t.id group by t.id`,
    ),
    viewOf('totals', { id: 'string', n: 'integer' }, 'select state as id, count(*) as n from ticket group by state'),
    viewOf(
      'costs',
      { id: 'string', total: 'integer' },
      'select state as id, sum(cost) as total from ticket group by state',
    ),
    viewOf('twice', { id: 'string' }, 'select state as id from ticket'),
    viewOf('keyless', { id: 'string' }, 'select max(owner) as id from ticket'),
    viewOf('closed', { id: 'string' }, 'select id from ticket', { read: null }),
    viewOf('mine', { id: 'string', state: 'string' }, 'select id, state from ticket', {
      rowRule: "row.state == 'open'",
    }),
    viewOf(
      'numbers',
      { id: 'integer', day: 'date', sum: 'decimal' },
      "select n as id, date '2026-01-01' + n::int4 as day, n * 0.5 as sum from generate_series(1, 5) as g(n)",
    ),
  ],
};

let engine: Engine;

beforeAll(async () => {
  await loadSqlParser();
  engine = new Engine(PRODUCT);
  const session = engine.session(INTERNAL);
  const put = (entity: string, row: object): void => {
    const made = createRow(session, engine.models.get(entity)!, { ...row }, asRequest(entity));
    if (isFailure(made)) throw new Error(made.message);
  };
  for (let n = 0; n < 12; n++)
    put('ticket', {
      id: `t${n}`,
      owner: n % 3 === 0 ? 'bob' : 'ada',
      state: n % 2 === 0 ? 'open' : 'done',
      cost: n,
      mail: `p${n}@example.org`,
    });
  for (let n = 0; n < 6; n++) put('note', { id: `n${n}`, ticket_id: `t${n % 4}` });
  engine.end(true);
});

/** A session of a caller, to whom entities are what the roles of their fields leave of them. */
const as = (principal: Principal): Session =>
  sessionWith(engine.session(principal), { model: (name) => engine.models.get(name)?.seenBy(principal) });

async function read(view: string, principal: Principal, query = ''): Promise<Found | Failure> {
  const session = as(principal);
  const model = session.model(view)!;
  return findRows(session, model, asRequest(view), () =>
    parseQuery(model, new Parameters(new URLSearchParams(query)), session),
  );
}

async function rows(view: string, principal: Principal, query = ''): Promise<unknown[]> {
  const found = await read(view, principal, query);
  if (isFailure(found)) throw new Error(`${found.status} ${found.message}`);
  return found.rows.map(({ slots }) => engine.models.get(view)!.shape(slots));
}

const refusal = async (view: string, principal: Principal, query = ''): Promise<string> => {
  const found = await read(view, principal, query);
  return isFailure(found) ? `${found.status} ${found.message}` : `${found.rows.length} rows`;
};

describe('whose rows', () => {
  test('a row that the caller may not see counts in no aggregate', async () => {
    expect(await rows('totals', ADA)).toEqual([
      { id: 'done', n: 4 },
      { id: 'open', n: 4 },
    ]);
    expect(await rows('totals', BOB)).toEqual([
      { id: 'done', n: 2 },
      { id: 'open', n: 2 },
    ]);
  });

  test('a masked field is masked, one of other roles is null, and computing with it is refused', async () => {
    expect(await rows('desk', BOB, 'id=t3')).toEqual([
      { id: 't3', state: 'done', cost: null, mail: 'p***@example.org', notes: 1 },
    ]);
    expect(await rows('desk', ADA, 'id=t1')).toEqual([
      { id: 't1', state: 'done', cost: 1, mail: 'p***@example.org', notes: 2 },
    ]);
    expect(await refusal('costs', BOB)).toMatch(/^403 /);
    expect(await rows('costs', ADA)).toEqual([
      { id: 'done', total: 24 },
      { id: 'open', total: 24 },
    ]);
  });

  test('a filter by a masked or hidden value finds what is shown, and not what is stored', async () => {
    expect(await rows('desk', ADA, 'mail=p1@example.org')).toEqual([]);
    expect(await rows('desk', ADA, 'mail[like]=p%25@example.org&limit=50')).toHaveLength(8);
    expect(await rows('desk', BOB, 'cost=3')).toEqual([]);
    expect(await rows('desk', BOB, 'cost[null]=true')).toHaveLength(4);
    expect(await rows('desk', ADA, 'cost=2')).toHaveLength(1);
  });

  test('a superadmin alone reads a view without a rule, and its own row rule holds for all', async () => {
    expect(await refusal('closed', ADA)).toBe('403 read on closed is not allowed');
    expect(await refusal('closed', SUPERADMIN)).toBe('0 rows'); // the rows are those of others
    expect(await rows('mine', ADA)).toHaveLength(4);
  });
});

describe('what is asked of its rows', () => {
  test('order, page, fields, groups and counts', async () => {
    expect(await rows('desk', ADA, 'orderby=-notes,id&limit=3&offset=1')).toMatchObject([
      { id: 't2' },
      { id: 't10' },
      { id: 't11' },
    ]);
    const counted = await read('desk', ADA, 'state=open&limit=1&stats=true');
    expect(counted).toMatchObject({ total: 4 });
    const grouped = await read('desk', ADA, 'groupby=state&[aggregate]=count,sum(notes)');
    expect(grouped).toMatchObject({
      groups: [
        ['done', 4, 2],
        ['open', 4, 1],
      ],
    });
    const paged = await read('desk', ADA, 'orderby=state&limit=2&after=x');
    expect(isFailure(paged) && paged.status).toBe(422);
  });

  test('values have the form of the declared types', async () => {
    expect(await rows('numbers', BOB, 'id[gte]=4')).toEqual([
      { id: 4, day: '2026-01-05', sum: '2.0' },
      { id: 5, day: '2026-01-06', sum: '2.5' },
    ]);
  });

  test('a page beyond the bound of sorts, since a view holds no more rows than its statement', async () => {
    const far = `limit=${limits.data.listLimitMax}&offset=`;
    expect(await rows('numbers', BOB, `${far}4&fields=id`)).toMatchObject([{ id: 5 }]);
    expect(await rows('numbers', BOB, `${far}${limits.data.sortRowsMax}`)).toEqual([]);
  });

  test('one row by its key', async () => {
    const one = async (id: string): Promise<unknown> => {
      const row = await findViewRow(as(ADA), engine.models.get('desk')!, asRequest('desk'), id);
      if (row === undefined || isFailure(row)) return row;
      return engine.models.get('desk')!.shape(row.slots)['id'];
    };
    expect([await one('t1'), await one('t0'), await one('none')]).toEqual(['t1', undefined, undefined]);
  });

  test('a key that names two rows, and none, is refused', async () => {
    expect(await refusal('twice', ADA)).toBe('422 the statement of the view twice gives two rows with one id');
    expect(await refusal('keyless', { ...ADA, subject: 'eve' })).toBe(
      '422 the statement of the view keyless gives a row without id',
    );
  });
});

describe('what it costs', () => {
  /** Rows that tables were asked for, by what the narrowed statement looks at. */
  const looked = async (query: string): Promise<number> => {
    let seen = 0;
    const session = as(ADA);
    const turn = session.turn();
    const counting = { ...turn, get: turn.get.bind(turn), range: turn.range.bind(turn) };
    const decoded = turn.decoded.bind(turn);
    const over = sessionWith(session, {
      model: (name) => session.model(name),
      turn: () => Object.assign(counting, { decoded: (key: never, decode: never) => (seen++, decoded(key, decode)) }),
    });
    await findRows(over, engine.models.get('mine')!, asRequest('mine'), () =>
      parseQuery(engine.models.get('mine')!, new Parameters(new URLSearchParams(query)), session),
    );
    return seen;
  };

  test('a condition on a column of a table is asked of the table', async () => {
    expect(await looked('id=t1')).toBe(1);
    expect(await looked('[or]=[{"id":"t1"},{"id":"t2"}]')).toBe(8);
  });
});

test('no caller writes a view', () => {
  for (const principal of [ADA, SUPERADMIN]) {
    const made = createRow(as(principal), engine.models.get('desk')!, { id: 'x' }, asRequest('desk'));
    expect(made).toMatchObject({ status: 403, message: 'create on desk is not allowed' });
  }
});

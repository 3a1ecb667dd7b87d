/** docs/contract/data.md §5.4.1, §5.4.2: filters over references and into json, on every surface, and what they never tell. */
import { beforeAll, describe, expect, test } from 'vitest';
import { explain } from '#actors/data/explain/explain.ts';
import { Work } from '#actors/host/work.ts';
import { limits } from '#config/limits.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { ask, data } from './graphql/kit.ts';

const id = { type: 'string' } as const;
const ref = (entity: string) => ({ type: 'ref', nullable: true, ref: { entity } }) as const;
const product = productOf([
  entityOf(
    'organisation',
    {
      id,
      name: { type: 'string', unique: true },
      tax_number: { type: 'string', mask: 'redact' },
      vault_id: ref('vault'),
      owner_id: { ...ref('vault'), mask: 'redact' },
    },
    { access: { read: 'true', create: 'true', unmask: '"auditor" in principal.roles' } },
  ),
  entityOf('vault', { id, code: { type: 'string' } }, { access: { create: 'true' } }),
  entityOf(
    'ticket',
    {
      id,
      organisation_id: ref('organisation'),
      status: { type: 'string' },
      rank: { type: 'integer' },
      meta: { type: 'json' },
      public: { type: 'boolean' },
    },
    { index: [['status']], rowRule: 'row.public || "agent" in principal.roles', traits: ['soft_delete'] },
  ),
  entityOf('comment', {
    id,
    ticket_id: ref('ticket'),
    text: { type: 'string' },
    meta: { type: 'json' },
    secret: { type: 'json', mask: 'redact' },
    parent: ref('comment'),
  }),
]);

const AGENT = { ...USER, subject: 'a', roles: ['agent'] };
const INSIDE = { ...USER, type: 'internal' as const };
let tenant: DataTenant;

const listed = async (query: string, principal: Principal = USER) => {
  const { status, body } = await tenant.send('GET', `/data/rest/comment?${query}&orderby=id`, undefined, { principal });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.map((row: { id: string }) => row.id);
};
const searched = async (filter: object) => {
  const { status, body } = await tenant.send('POST', '/data/rest/comment/search?orderby=id', { filter });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.map((row: { id: string }) => row.id);
};
const refused = async (query: string, principal: Principal = USER) => {
  const { status, body } = await tenant.send('GET', `/data/rest/comment?${query}`, undefined, { principal });
  return [status, body.error, body.details];
};
const unknown = (path: string) => [422, `comment has no field ${path}`, { fields: { [path]: ['is not a field'] } }];

beforeAll(async () => {
  tenant = await DataTenant.open(product);
  const post = async (entity: string, row: object) => {
    const { status, body } = await tenant.send('POST', `/data/rest/${entity}`, row, { principal: INSIDE });
    expect([status, body.error]).toEqual([201, undefined]);
  };
  await post('vault', { id: 'v1', code: '1234' });
  await post('organisation', { id: 'o1', name: 'Acme', tax_number: '77', vault_id: 'v1', owner_id: 'v1' });
  await post('organisation', { id: 'o2', name: 'Bolt', tax_number: '78' });
  await post('ticket', { id: 't1', organisation_id: 'o1', status: 'new', rank: 1, public: true, meta: { level: 3 } });
  await post('ticket', { id: 't2', organisation_id: 'o2', status: 'new', rank: 2, public: true, meta: { level: '3' } });
  const hidden = { organisation_id: 'o1', status: 'new', rank: 9, public: false };
  await post('ticket', { id: 't3', ...hidden });
  await post('ticket', { id: 't4', organisation_id: 'o1', status: 'done', rank: 4, public: true });
  const comments: [string, string | null, unknown][] = [
    ['c1', 't1', { color: 'red', tags: ['a', 'b'], at: { city: 'Wien', 'a/b': 1 } }],
    ['c2', 't2', { color: 'blue', size: 5 }],
    ['c3', 't3', { color: null }],
    ['c4', 't4', { size: 12 }],
    ['c5', null, null],
  ];
  for (const [key, ticket_id, meta] of comments)
    await post('comment', { id: key, ticket_id, meta, secret: { pin: 1 }, parent: key === 'c2' ? 'c1' : null });
  await tenant.send('DELETE', '/data/rest/ticket/id/t4', undefined, { principal: INSIDE });
});

describe('over references', () => {
  test('one and several of them, with every way to compare', async () => {
    expect(await listed('[ticket.status]=new')).toEqual(['c1', 'c2']);
    expect(await listed('[ticket.rank][gte]=2')).toEqual(['c2']);
    expect(await listed('[ticket.organisation.name]=Acme')).toEqual(['c1']);
    expect(await listed('[ticket.organisation.name][in]=Acme,Bolt&[ticket.rank][lt]=2')).toEqual(['c1']);
    expect(await listed('[parent.ticket.organisation.name]=Acme')).toEqual(['c2']);
    expect(await listed('filter=[ticket.status][like]=n%25')).toEqual(['c1', 'c2']);
    expect(await listed('[or]=[{"[ticket.rank]":2},{"id":"c5"}]')).toEqual(['c2', 'c5']);
    expect(await searched({ '[ticket.rank]': { gt: 0, lt: 2 } })).toEqual(['c1']);
    expect(await searched({ '[not]': { '[ticket.rank][eq]': 1 } })).toEqual(['c2']);
  });

  test('a row that is absent, deleted or hidden has no value: nothing compares with it, and a test for null holds', async () => {
    expect(await listed('[ticket.rank][ne]=1')).toEqual(['c2']);
    expect(await listed('[ticket.rank][null]=true')).toEqual(['c3', 'c4', 'c5']);
    expect(await listed('[ticket.id][null]=false')).toEqual(['c1', 'c2']);
    expect(await listed('[ticket.rank][ne]=1', AGENT)).toEqual(['c2', 'c3']);
    expect(await listed('[ticket.rank]=4&deleted=true')).toEqual(['c4']);
  });

  test('a hidden row is not told apart by the plan either', async () => {
    const planOf = async (filter: string, principal: Principal = USER) =>
      (await tenant.send('GET', `/data/rest/comment?${filter}&stats=true`, undefined, { principal })).body.stats.plan;
    expect(await planOf('[ticket.id]=t3')).toEqual(await planOf('[ticket.id]=none'));
    expect(await planOf('[ticket.id]=t3', AGENT)).not.toEqual(await planOf('[ticket.id]=none', AGENT));
    // Two tickets of this status are shown, and a third one is there.
    expect(await planOf('[ticket.status]=new')).toMatchObject({ access: 'index', index: ['ticket_id'], ranges: 2 });
    expect(await planOf('[ticket.status]=new', AGENT)).toMatchObject({ access: 'index', ranges: 3 });
  });

  test('counts, groups and a change by a filter go by them, too', async () => {
    const { body } = await tenant.send('GET', '/data/rest/comment?[ticket.status]=new&[aggregate]=count');
    expect(body.data).toEqual([{ count: 2 }]);
    const change = (count: number) =>
      tenant.send(
        'PATCH',
        '/data/rest/comment?[ticket.organisation.name]=Acme',
        { text: 'x' },
        {
          principal: USER,
          extra: `if-count:${count}\n`,
        },
      );
    expect((await change(2)).body).toMatchObject({ code: 'v2.count_differs', details: { found: 1 } });
    expect((await change(1)).status).toBe(200);
    expect(await listed('text=x')).toEqual(['c1']);
    const csv = await tenant.send('PATCH', '/data/bulk?entity=comment&format=jsonl&fields=id&filter=[ticket.rank]=2');
    expect(csv.body).toBe('{"id":"c2"}\n');
  });

  test('what the caller may not read is answered as what is not there', async () => {
    for (const path of [
      'ticket.organisation.nothing',
      'ticket.nothing.name',
      'nothing.name',
      'ticket.organisation',
      'ticket',
      'text',
    ])
      expect(await refused(`[${path}]=1`)).toEqual(unknown(path));
    // An entity that no rule lets the caller read, also with a value of another type.
    for (const path of ['ticket.organisation.vault.code', 'ticket.organisation.vault.id'])
      expect(await refused(`[${path}]=1`)).toEqual(unknown(path));
    expect(await refused('[ticket.organisation.vault.code][gt]=1')).toEqual(unknown('ticket.organisation.vault.code'));
    // Fields under a mask, and references in them.
    expect(await refused('[ticket.organisation.tax_number]=77')).toEqual(unknown('ticket.organisation.tax_number'));
    expect(await refused('[ticket.organisation.owner.code]=1')).toEqual(unknown('ticket.organisation.owner.code'));
    expect(await listed('[ticket.organisation.tax_number]=77', { ...USER, roles: ['auditor'] })).toEqual(['c1']);
    expect(await listed('[ticket.organisation.vault.code]=1234', SUPERADMIN)).toEqual(['c1']);
    const body = { filter: { '[ticket.organisation.vault.code]': 1 } };
    expect((await tenant.send('POST', '/data/rest/comment/search', body)).body.error).toBe(
      'comment has no field ticket.organisation.vault.code',
    );
  });

  test('paths and conditions over references are bounded', async () => {
    const { filterHopsMax, filterCrossingMax } = limits.data;
    const deep = [...Array<string>(filterHopsMax + 1).fill('parent'), 'id'].join('.');
    expect(await refused(`[${deep}]=1`)).toEqual([
      422,
      `a path follows at most ${filterHopsMax} references`,
      { most: filterHopsMax },
    ]);
    const many = (count: number) => Array.from({ length: count }, () => '[ticket.rank]=1').join('&');
    expect(await listed(many(filterCrossingMax))).toEqual(['c1']);
    expect((await refused(many(filterCrossingMax + 1)))[1]).toBe(
      `at most ${filterCrossingMax} conditions over references`,
    );
  });

  test('the value, the operator and the form are judged as for a field', async () => {
    expect((await refused('[ticket.rank]=x'))[1]).toBe('ticket.rank must be a 64-bit integer, as a string beyond 2^53');
    expect((await refused('[ticket.rank][near]=1'))[1]).toContain('ticket.rank has no operator near');
    expect((await refused('[ticket.meta]=1'))[1]).toContain('ticket.meta has no equality');
  });
});

describe('into json', () => {
  test('texts, numbers, truths, members of members and items of lists', async () => {
    expect(await listed('[meta/color]=red')).toEqual(['c1']);
    expect(await listed('[meta/size][gt]=4')).toEqual(['c2', 'c4']);
    expect(await listed('[meta/size][between]=5,6')).toEqual(['c2']);
    expect(await listed('[meta/at/city][like]=W%25')).toEqual(['c1']);
    expect(await listed('[meta/at/a~1b]=1')).toEqual(['c1']);
    expect(await listed('[meta/tags/1]=b')).toEqual(['c1']);
    expect(await listed('[meta/color][in]=red,blue')).toEqual(['c1', 'c2']);
    expect(await listed('[ticket.meta/level]=3')).toEqual(['c1']);
    expect(await listed('[ticket.meta/level]="3"')).toEqual(['c2']);
    expect(await searched({ '[meta/size]': { gte: 5 }, '[not]': { '[meta/color]': 'blue' } })).toEqual([]);
  });

  test('null stands for nothing there; a value of another kind is not equal, and has no order', async () => {
    expect(await listed('[meta/color][null]=true')).toEqual(['c3', 'c4', 'c5']);
    expect(await listed('[meta/at][null]=false')).toEqual(['c1']);
    expect(await listed('[meta/color][ne]=5')).toEqual(['c1', 'c2']);
    expect(await listed('[meta/color][gt]=5')).toEqual([]);
    expect(await searched({ '[meta/color]': null })).toEqual(['c3', 'c4', 'c5']);
    expect(await listed('[meta/__proto__][null]=false')).toEqual([]);
    expect(await listed('[meta/tags/length][null]=false')).toEqual([]);
  });

  test('what does not fit is refused by its path', async () => {
    expect((await refused('[text/a]=1'))[1]).toBe('comment has no field text/a');
    expect((await refused('[meta/a]={}'))[1]).toBe('meta/a must be a text, a number, true or false');
    expect((await refused('[meta/a][between]=1,x'))[1]).toBe(
      'meta/a[between] must be two values of one kind, the lower first',
    );
    expect((await refused('[meta/a][null]=1'))[1]).toBe('meta/a[null] must be true or false');
    const deep = `meta/${Array<string>(limits.data.jsonPathMax + 1)
      .fill('a')
      .join('/')}`;
    expect((await refused(`[${deep}]=1`))[1]).toBe(
      `a path goes at most ${limits.data.jsonPathMax} members into a json value`,
    );
    // A field of the row itself under a mask: as any query by it.
    expect((await refused('[secret/pin]=1'))[1]).toBe('secret is masked: a query by it is not allowed');
  });
});

describe('in GraphQL', () => {
  const list = async (filter: object, principal: Principal = USER) => {
    const query = 'query ($filter: CommentFilter) { comment(filter: $filter, order: [id_asc]) { nodes { id } total } }';
    const { comment } = await data(tenant, query, { filter }, principal);
    expect(comment.total).toBe(comment.nodes.length);
    return comment.nodes.map((row: { id: string }) => row.id);
  };

  test('filters of relations stand in filters, groups among them', async () => {
    expect(await list({ ticket: { rank: { gte: 2 } } })).toEqual(['c2']);
    expect(await list({ ticket: { organisation: { name: { eq: 'Acme' } } } })).toEqual(['c1']);
    expect(await list({ ticket: { OR: [{ rank: { eq: 1 } }, { rank: { eq: 2 } }] } })).toEqual(['c1', 'c2']);
    expect(await list({ ticket: { NOT: { rank: { eq: 1 } } } })).toEqual(['c2']);
    expect(await list({ NOT: { ticket: { rank: { null: false } } } })).toEqual(['c3', 'c4', 'c5']);
    expect(await list({ ticket: { rank: { ne: 1 } } }, AGENT)).toEqual(['c2', 'c3']);
    expect(await list({ ticket: null })).toHaveLength(5);
  });

  test('a relation with the name of its field has an underscore behind it, as where it is shown', async () => {
    expect(await list({ parent_: { id: { eq: 'c3' } }, parent: { eq: 'c1' } })).toEqual([]);
    expect(await list({ parent_: { id: { eq: 'c1' } } })).toEqual(['c2']);
  });

  test('parts of json, compared and shown', async () => {
    expect(await list({ meta: { path: 'size', gt: 4 } })).toEqual(['c2', 'c4']);
    expect(
      await list({
        meta: [
          { path: '/at/city', like: 'W%' },
          { path: 'color', eq: 'red' },
        ],
      }),
    ).toEqual(['c1']);
    expect(await list({ ticket: { meta: { path: 'level', in: [3, 4] } } })).toEqual(['c1']);
    const shown = await data(
      tenant,
      '{ comment(filter: {id: {eq: "c1"}}) { nodes { city: meta(path: "at/city") tags: meta(path: "tags") none: meta(path: "x/y") meta } } }',
    );
    expect(shown.comment.nodes).toEqual([
      {
        city: 'Wien',
        tags: ['a', 'b'],
        none: null,
        meta: { color: 'red', tags: ['a', 'b'], at: { city: 'Wien', 'a/b': 1 } },
      },
    ]);
  });

  test('what the caller may not read is not in the schema, and masked fields are unknown there, too', async () => {
    const failing = async (filter: string) =>
      (await ask(tenant, `{ comment(filter: ${filter}) { nodes { id } } }`)).body.errors[0].message;
    expect(await failing('{ticket: {organisation: {vault: {code: {eq: "1"}}}}}')).toContain(
      'not to include unknown field "vault"',
    );
    expect(await failing('{ticket: {organisation: {tax_number: {eq: "1"}}}}')).toBe(
      'comment has no field ticket.organisation.tax_number',
    );
    expect(await failing('{parent_: {parent_: {parent_: {parent_: {id: {eq: "1"}}}}}}')).toBe(
      'a path follows at most 3 references',
    );
  });
});

test('explain says which references an index answers, and which rows are looked up', () => {
  const work = new Work(tenant.activation);
  const ask = (query: string) =>
    explain(work, {
      user: { id: 'u1', roles: [] },
      method: 'GET',
      target: `/data/rest/comment?${query}`,
      data: null,
      asked_by: 'root',
      reason: 'a test',
    });
  expect(ask('[ticket.status]=new&[ticket.rank]=1').plan).toMatchObject({
    access: 'index',
    index: ['ticket_id'],
    ranges: 2,
    narrowed_by: [],
    looked_up: ['ticket.rank'],
  });
  expect(ask('text=x').plan).toEqual({ access: 'table', sorted: false, narrowed_by: [] });
  expect(ask('[ticket.organisation.vault.code]=1').answer).toEqual({
    status: 422,
    why: 'comment has no field ticket.organisation.vault.code',
  });
});

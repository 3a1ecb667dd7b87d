/** docs/contract/data.md §5.4.3: filters by rows on the other side of references, on every surface, and what they never tell. */
import { beforeAll, describe, expect, test } from 'vitest';
import { explain } from '#actors/data/explain/explain.ts';
import { Work } from '#actors/host/work.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { ask, data } from './graphql/kit.ts';

const id = { type: 'string' } as const;
const ref = (entity: string) => ({ type: 'ref', nullable: true, ref: { entity } }) as const;
const agentsOnly = { roles: { read: ['agent'] } };
const product = productOf([
  entityOf('person', { id, name: { type: 'string' } }),
  entityOf('ticket', { id, title: { type: 'string' }, comment_by_ticket_: { type: 'string' } }),
  entityOf(
    'comment',
    {
      id,
      ticket_id: ref('ticket'),
      author_id: ref('person'),
      reviewer_id: { ...ref('ticket'), ...agentsOnly },
      masked_id: { ...ref('ticket'), mask: 'redact' },
      text: { type: 'string' },
      meta: { type: 'json' },
      phone: { type: 'string', mask: 'last4' },
      details: { type: 'json', mask: 'redact' },
      rating: { type: 'integer', ...agentsOnly },
      public: { type: 'boolean' },
    },
    {
      index: [['text']],
      rowRule: 'row.public || "agent" in principal.roles',
      traits: ['soft_delete'],
      access: { read: 'true', create: 'true', delete: 'true', unmask: '"auditor" in principal.roles' },
    },
  ),
  entityOf('vault', { id, ticket_id: ref('ticket'), code: { type: 'string' } }, { access: { create: 'true' } }),
]);
const AGENT = { ...USER, subject: 'a', roles: ['agent'] };
const AUDITOR = { ...USER, subject: 'au', roles: ['auditor'] };
const INSIDE = { ...USER, type: 'internal' as const };
let tenant: DataTenant;

const ids = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id);
const listed = async (query: string, principal: Principal = USER, entity = 'ticket') => {
  const path = `/data/rest/${entity}?${query}&orderby=id`;
  const { status, body } = await tenant.send('GET', path, undefined, { principal });
  expect([query, status, body.error]).toEqual([query, 200, undefined]);
  return ids(body.data);
};
const searched = async (filter: object) => {
  const { status, body } = await tenant.send('POST', '/data/rest/ticket/search?orderby=id', { filter });
  expect([status, body.error]).toEqual([200, undefined]);
  return ids(body.data);
};
const refused = async (query: string, principal: Principal = USER) => {
  const { status, body } = await tenant.send('GET', `/data/rest/ticket?${query}`, undefined, { principal });
  return [status, body.error];
};

beforeAll(async () => {
  tenant = await DataTenant.open(product);
  const post = async (entity: string, row: object) => {
    const { status, body } = await tenant.send('POST', `/data/rest/${entity}`, row, { principal: INSIDE });
    expect([status, body.error]).toEqual([201, undefined]);
  };
  for (const name of ['Ada', 'Bob']) await post('person', { id: name.toLowerCase(), name });
  for (const key of ['t1', 't2', 't3', 't4']) await post('ticket', { id: key, title: `of ${key}` });
  const rest = {
    public: true,
    phone: '0123456789',
    details: { pin: 1 },
    rating: 5,
    reviewer_id: 't4',
    masked_id: 't4',
  };
  await post('comment', { id: 'c1', ticket_id: 't1', author_id: 'ada', text: 'red', meta: { size: 1 }, ...rest });
  await post('comment', { id: 'c2', ticket_id: 't1', author_id: 'bob', text: 'blue', meta: { size: 5 }, ...rest });
  await post('comment', { id: 'c3', ticket_id: 't2', author_id: 'bob', text: 'red', ...rest });
  await post('comment', { id: 'c4', ticket_id: 't3', author_id: 'bob', text: 'red', ...rest, public: false });
  await post('comment', { id: 'c5', ticket_id: 't4', author_id: 'ada', text: 'gone', ...rest });
  await post('vault', { id: 'v1', ticket_id: 't1', code: '1234' });
  await tenant.send('DELETE', '/data/rest/comment/id/c5', undefined, { principal: INSIDE });
});

describe('a filter by the rows that refer to a row', () => {
  test('one of them, none of them, each of them', async () => {
    expect(await listed('[comment_by_ticket.text]=red')).toEqual(['t1', 't2']);
    expect(await listed('[comment_by_ticket.text][ne]=red')).toEqual(['t1']);
    expect(await listed('[comment_by_ticket.text][like]=b%25')).toEqual(['t1']);
    expect(await listed('[comment_by_ticket.author.name]=Ada')).toEqual(['t1']);
    expect(await listed('[comment_by_ticket.meta/size][gt]=4')).toEqual(['t1']);
    expect(await listed('[comment_by_ticket][some]={}')).toEqual(['t1', 't2']);
    expect(await listed('[comment_by_ticket][none]={}')).toEqual(['t3', 't4']);
    expect(await listed('[comment_by_ticket][NONE]={"text":"blue"}')).toEqual(['t2', 't3', 't4']);
    expect(await listed('[comment_by_ticket][every]={"text":"red"}')).toEqual(['t2', 't3', 't4']);
    expect(await searched({ '[comment_by_ticket]': { every: { text: 'red' }, some: {} } })).toEqual(['t2']);
  });

  test('keys beside each other may each be met by another row, conditions in one by the same', async () => {
    expect(await listed('[comment_by_ticket.text]=red&[comment_by_ticket.author.name]=Bob')).toEqual(['t1', 't2']);
    const same = { text: 'red', '[author.name]': 'Bob' };
    expect(await searched({ '[comment_by_ticket][some]': same })).toEqual(['t2']);
    expect(await searched({ '[not]': { '[comment_by_ticket][some]': same } })).toEqual(['t1', 't3', 't4']);
    const either = { '[or]': [{ text: 'blue' }, { '[not]': { '[author.name]': 'Ada' } }] };
    expect(await searched({ '[comment_by_ticket]': { some: either } })).toEqual(['t1', 't2']);
    expect(await searched({ '[or]': [{ title: 'of t4' }, { '[comment_by_ticket.text]': 'blue' }] })).toEqual([
      't1',
      't4',
    ]);
  });

  test('over several references, there and back', async () => {
    expect(await listed('[ticket.comment_by_ticket.text]=blue', USER, 'comment')).toEqual(['c1', 'c2']);
    expect(await listed('[comment_by_author.ticket.title]=of t2', USER, 'person')).toEqual(['bob']);
    expect(await listed('[comment_by_author.ticket.comment_by_ticket][none]={"text":"blue"}', USER, 'person')).toEqual([
      'bob',
    ]);
  });

  test('a row that is deleted or hidden is none of them', async () => {
    expect(await listed('[comment_by_ticket.text]=red', AGENT)).toEqual(['t1', 't2', 't3']);
    expect(await listed('[comment_by_ticket.text][null]=false', AGENT)).toEqual(['t1', 't2', 't3']);
    expect(await listed('[comment_by_ticket.text]=gone&deleted=true')).toEqual(['t4']);
    const { body } = await tenant.send('GET', '/data/rest/ticket?[comment_by_ticket.text]=red&[aggregate]=count');
    expect(body.data).toEqual([{ count: 2 }]);
    const planOf = async (filter: string) =>
      (await tenant.send('GET', `/data/rest/ticket?${filter}&stats=true`)).body.stats.plan;
    expect(await planOf('[comment_by_ticket.id]=c4')).toEqual(await planOf('[comment_by_ticket.id]=nothing'));
    expect(await planOf('[comment_by_ticket.id]=c3')).toMatchObject({ access: 'key' });
  });

  test('in exports and in changes of what a filter finds', async () => {
    const csv = await tenant.send(
      'PATCH',
      '/data/bulk?entity=ticket&format=jsonl&fields=id&filter=[comment_by_ticket.text]=blue',
    );
    expect(csv.body).toBe('{"id":"t1"}\n');
    const change = (count: number) =>
      tenant.send(
        'PATCH',
        '/data/rest/ticket?[comment_by_ticket.text]=red',
        { comment_by_ticket_: 'x' },
        { principal: USER, extra: `if-count:${count}\n` },
      );
    expect((await change(3)).body).toMatchObject({ code: 'v2.count_differs', details: { found: 2 } });
    expect((await change(2)).status).toBe(200);
    expect(await listed('comment_by_ticket_=x')).toEqual(['t1', 't2']);
  });

  test('in what an include shows', async () => {
    const filter = encodeURIComponent('{"[ticket.comment_by_ticket.text]":"blue"}');
    const path = `/data/rest/ticket?include=comment_by_ticket&[comment_by_ticket][filter]=${filter}&orderby=id`;
    const { body } = await tenant.send('GET', path);
    expect(body.data.map((row: { comment_by_ticket: { id: string }[] }) => ids(row.comment_by_ticket))).toEqual([
      ['c1', 'c2'],
      [],
      [],
      [],
    ]);
  });
});

describe('what the caller may not read', () => {
  test.each([
    'vault_by_ticket.code',
    'vault_by_ticket.id',
    'comment_by_ticket.phone',
    'comment_by_ticket.details/pin',
    'comment_by_ticket.rating',
    'comment_by_reviewer.text',
    'comment_by_masked.text',
  ])('%s is answered as what is not there', async (path) => {
    const nothing = path.replace(/vault|phone|details|rating|reviewer|masked/, 'nothing');
    const [status, error] = await refused(`[${path}]=1`);
    const [, plain] = await refused(`[${nothing}]=1`);
    expect([status, (error as string).replace(/vault|phone|details|rating|reviewer|masked/, 'nothing')]).toEqual([
      422,
      plain,
    ]);
    const [name, ...rest] = path.split('.');
    for (const quantifier of ['some', 'none', 'every']) {
      const of = rest.join('').includes('/') ? { [`[${rest.join('')}]`]: 1 } : { [rest.join('')]: 1 };
      expect(await refused(`[${name!}][${quantifier}]=${JSON.stringify(of)}`)).toEqual([422, expect.any(String)]);
    }
  });

  test('and those who may read it filter by it', async () => {
    expect(await listed('[vault_by_ticket.code]=1234', SUPERADMIN)).toEqual(['t1']);
    expect(await listed('[comment_by_ticket.phone][like]=0123%25', AUDITOR)).toEqual(['t1', 't2']);
    expect(await listed('[comment_by_ticket.details/pin]=1', AUDITOR)).toEqual(['t1', 't2']);
    expect(await listed('[comment_by_ticket.rating]=5', AGENT)).toEqual(['t1', 't2', 't3']);
    expect(await listed('[comment_by_reviewer.text]=blue', AGENT)).toEqual(['t4']);
  });

  test('what does not fit is refused by its path', async () => {
    expect((await refused('[comment_by_ticket][some]=red'))[1]).toMatch(/^\[comment_by_ticket]\[some] must be JSON/);
    expect((await refused('[comment_by_ticket][some]=[]'))[1]).toBe(
      '[comment_by_ticket][some] must be an object of conditions',
    );
    expect((await refused('[comment_by_ticket]=1'))[1]).toBe('ticket has no field comment_by_ticket');
    expect((await refused('[title][some]={}'))[1]).toBe('ticket has no field title');
    expect((await refused('[comment_by_ticket.text][some]={}'))[1]).toBe('comment has no field text');
    expect((await refused('[comment_by_ticket.public]=x'))[1]).toContain('must be');
    expect((await refused('[comment_by_ticket.text][near]=x'))[1]).toContain('text has no operator near');
    const { body } = await tenant.send('POST', '/data/rest/ticket/search', {
      filter: { '[comment_by_ticket]': { some: 1 } },
    });
    expect(body.error).toContain('must be an object of conditions');
  });
});

describe('in GraphQL', () => {
  const list = async (filter: object, principal: Principal = USER, entity = 'ticket') => {
    const type = entity === 'ticket' ? 'TicketFilter' : 'CommentFilter';
    const query = `query ($filter: ${type}) { ${entity}(filter: $filter, order: [id_asc]) { nodes { id } } }`;
    return ids((await data(tenant, query, { filter }, principal))[entity].nodes);
  };

  test('filters of relations of many rows say how many', async () => {
    expect(await list({ comment_by_ticket: { some: { text: { eq: 'red' } } } })).toEqual(['t1', 't2']);
    expect(await list({ comment_by_ticket: { none: { text: { eq: 'blue' } }, some: {} } })).toEqual(['t2']);
    expect(await list({ comment_by_ticket: { every: { text: { eq: 'red' } }, some: null } })).toEqual([
      't2',
      't3',
      't4',
    ]);
    expect(await list({ comment_by_ticket: { some: { author: { name: { eq: 'Ada' } } } } })).toEqual(['t1']);
    expect(await list({ NOT: { comment_by_ticket: { some: {} } } })).toEqual(['t3', 't4']);
    expect(await list({ comment_by_ticket: { some: { meta: { path: 'size', gt: 4 } } } })).toEqual(['t1']);
    expect(await list({ comment_by_ticket: { some: { text: { eq: 'red' } } } }, AGENT)).toEqual(['t1', 't2', 't3']);
    const siblings = { ticket: { comment_by_ticket: { some: { OR: [{ text: { eq: 'blue' } }] } } } };
    expect(await list(siblings, USER, 'comment')).toEqual(['c1', 'c2']);
  });

  test('what the caller may not read is not in the schema, and masked fields are unknown', async () => {
    const failing = async (filter: string) =>
      (await ask(tenant, `{ ticket(filter: ${filter}) { nodes { id } } }`)).body.errors[0].message;
    for (const relation of ['vault_by_ticket', 'comment_by_reviewer', 'comment_by_masked'])
      expect(await failing(`{${relation}: {some: {}}}`)).toContain(`not to include unknown field "${relation}"`);
    expect(await failing('{comment_by_ticket: {some: {rating: {eq: 5}}}}')).toContain('unknown field "rating"');
    expect(await failing('{comment_by_ticket: {some: {phone: {eq: "1"}}}}')).toBe('comment has no field phone');
    expect(await failing('{comment_by_ticket: {some: {details: {path: "pin", eq: 1}}}}')).toBe(
      'comment has no field details',
    );
    const deep = '{comment_by_ticket: {some: {ticket: {comment_by_ticket: {some: {ticket: {id: {eq: "1"}}}}}}}}';
    expect(await failing(deep)).toBe('a path follows at most 3 references');
  });
});

test('explain says which of them are looked up', () => {
  const work = new Work(tenant.activation);
  const { plan } = explain(work, {
    user: { id: 'u1', roles: [] },
    method: 'GET',
    target: '/data/rest/ticket?[comment_by_ticket.text]=blue&[comment_by_ticket][none]={"text":"red"}',
    data: null,
    asked_by: 'root',
    reason: 'a test',
  });
  expect(plan).toMatchObject({ access: 'key', looked_up: ['comment_by_ticket'] });
});

/** docs/contract/data.md §5.4.4: orders, groups and aggregates by values of other rows, on every surface, and what they never tell. */
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
    'firm',
    {
      id,
      name: { type: 'string' },
      size: { type: 'integer' },
      founded: { type: 'datetime' },
      tax: { type: 'string', mask: 'redact' },
      rating: { type: 'integer', roles: { read: ['agent'] } },
      about: { type: 'json' },
      public: { type: 'boolean' },
      vault_id: ref('vault'),
    },
    {
      rowRule: 'row.public || "agent" in principal.roles',
      access: { read: 'true', create: 'true', unmask: '"auditor" in principal.roles' },
    },
  ),
  entityOf('vault', { id, code: { type: 'string' } }, { access: { create: 'true' } }),
  entityOf('ticket', { id, title: { type: 'string' }, firm: ref('firm'), parent_id: ref('ticket') }),
]);
const AGENT = { ...USER, subject: 'a', roles: ['agent'] };
const AUDITOR = { ...USER, subject: 'au', roles: ['auditor'] };
const INSIDE = { ...USER, type: 'internal' as const };
let tenant: DataTenant;

const get = (query: string, principal: Principal = USER) =>
  tenant.send('GET', `/data/rest/ticket?${query}`, undefined, { principal });
const rowsOf = async (query: string, principal: Principal = USER) => {
  const { status, body } = await get(query, principal);
  expect([query, status, body.error]).toEqual([query, 200, undefined]);
  return body.data;
};
const ids = (rows: readonly { id: string }[]): string => rows.map((row) => row.id).join(' ');
const refused = async (query: string, principal: Principal = USER) => {
  const { status, body } = await get(query, principal);
  return [status, body.error];
};

beforeAll(async () => {
  tenant = await DataTenant.open(product);
  const post = async (entity: string, row: object) => {
    const { status, body } = await tenant.send('POST', `/data/rest/${entity}`, row, { principal: INSIDE });
    expect([status, body.error]).toEqual([201, undefined]);
  };
  await post('vault', { id: 'v', code: '1' });
  const founded = { f1: '2026-01-31T23:30:00Z', f2: '2026-02-10T00:00:00Z', f3: '2020-01-01T00:00:00Z' };
  const firm = async (key: keyof typeof founded, name: string, size: number, isPublic: boolean) =>
    post('firm', {
      id: key,
      name,
      size,
      founded: founded[key],
      tax: key,
      rating: size,
      about: {},
      public: isPublic,
      vault_id: 'v',
    });
  await firm('f1', 'Bolt', 5, true);
  await firm('f2', 'Acme', 7, true);
  await firm('f3', 'Aaa', 100, false);
  for (const [key, of, parent_id] of [
    ['t1', 'f1', null],
    ['t2', 'f2', 't1'],
    ['t3', 'f3', 't2'],
    ['t4', null, 't3'],
    ['t5', 'f1', 't1'],
  ] as const)
    await post('ticket', { id: key, title: key, firm: of, parent_id });
});

describe('an order by values of other rows', () => {
  test('in both directions, nulls first as for fields; what is hidden counts as null', async () => {
    expect(ids(await rowsOf('orderby=[firm.name]'))).toBe('t3 t4 t2 t1 t5');
    expect(ids(await rowsOf('orderby=-[firm.name],-id'))).toBe('t5 t1 t2 t4 t3');
    expect(ids(await rowsOf('orderby=[firm.size] desc,title asc'))).toBe('t2 t1 t5 t3 t4');
    expect(ids(await rowsOf('orderby=[firm.name]', AGENT))).toBe('t4 t3 t2 t1 t5');
    expect(ids(await rowsOf('orderby=[parent.firm.name],id'))).toBe('t1 t4 t3 t2 t5');
    expect(ids(await rowsOf('order_by=[firm.name]&limit=2&offset=1'))).toBe('t4 t2');
    const searched = await tenant.send('POST', '/data/rest/ticket/search?orderby=-[firm.name]', {
      filter: { '[firm.size]': 5 },
    });
    expect(ids(searched.body.data)).toBe('t5 t1');
    expect((await rowsOf('orderby=[firm.name]&limit=1'))[0]).toEqual({
      id: 't3',
      title: 't3',
      firm: 'f3',
      parent_id: 't2',
    });
  });

  test('in pages by cursors, forward and back', async () => {
    const seen: string[] = [];
    let query = 'orderby=[firm.name]&limit=2&after=';
    for (;;) {
      const { body } = await get(query);
      seen.push(ids(body.data));
      if (!body.page.has_next_page) break;
      query = `orderby=[firm.name]&limit=2&after=${body.page.end_cursor}`;
    }
    expect(seen).toEqual(['t3 t4', 't2 t1', 't5']);
    const { body } = await get('orderby=[firm.name]&limit=1&after=');
    const { end_cursor: cursor } = body.page as { end_cursor: string };
    const last = (await get('orderby=[firm.name]&limit=9&after=')).body.page.end_cursor as string;
    expect(ids((await get(`orderby=[firm.name]&limit=2&before=${last}`)).body.data)).toBe('t2 t1');
    const wrong = [422, 'after is no cursor of ticket in this order'];
    expect(await refused(`orderby=[firm.size]&after=${cursor}`)).toEqual(wrong);
    expect(await refused(`orderby=-[firm.name]&after=${cursor}`)).toEqual(wrong);
    expect(await refused(`orderby=title&after=${cursor}`)).toEqual(wrong);
    expect(await refused(`orderby=[firm.name]&after=${cursor.slice(0, -2)}AA`)).toEqual(wrong);
  });

  test('in exports', async () => {
    const path = '/data/bulk?entity=ticket&format=jsonl&fields=id&orderby=[firm.name]';
    expect((await tenant.send('PATCH', path)).body).toBe(
      '{"id":"t3"}\n{"id":"t4"}\n{"id":"t2"}\n{"id":"t1"}\n{"id":"t5"}\n',
    );
  });
});

describe('groups and aggregates by values of other rows', () => {
  test('are shown under their paths, and hidden rows are the group of null', async () => {
    expect(await rowsOf('groupby=[firm.name]&[aggregate]=max(title)')).toEqual([
      { 'firm.name': null, count: 2, 'max(title)': 't4' },
      { 'firm.name': 'Acme', count: 1, 'max(title)': 't2' },
      { 'firm.name': 'Bolt', count: 2, 'max(title)': 't5' },
    ]);
    expect(await rowsOf('groupby=[firm.name]&orderby=-[firm.name]&limit=1', AGENT)).toEqual([
      { 'firm.name': 'Bolt', count: 2 },
    ]);
    expect(await rowsOf('[aggregate]=sum([firm.size]),count([firm.id]),count_distinct([firm.name])')).toEqual([
      { count: 5, 'sum(firm.size)': 17, 'count(firm.id)': 3, 'count_distinct(firm.name)': 2 },
    ]);
    expect(await rowsOf('[aggregate]=sum([firm.size])', AGENT)).toEqual([{ count: 5, 'sum(firm.size)': 117 }]);
  });

  test('in buckets of a zone, with having and orders', async () => {
    expect(await rowsOf('[bucket]=month([firm.founded])&[zone]=Europe/Vienna')).toEqual([
      { 'month(firm.founded)': null, count: 2 },
      { 'month(firm.founded)': '2026-02-01', count: 3 },
    ]);
    expect(await rowsOf('groupby=[firm.name]&select=sum([firm.size])&having=sum(firm.size)[gt]=7')).toEqual([
      { 'firm.name': 'Bolt', count: 2, 'sum(firm.size)': 10 },
    ]);
    expect(await rowsOf('groupby=[firm.name]&having=[firm.name][like]=A%25')).toEqual([
      { 'firm.name': 'Acme', count: 1 },
    ]);
  });
});

describe('what the caller may not read', () => {
  const NAMES = /rating|tax|vault\.code|vault\.id/;
  test.each([
    'orderby=[firm.rating]',
    'orderby=[firm.tax]',
    'orderby=[firm.vault.code]',
    'orderby=[firm.vault.id]',
    'groupby=[firm.rating]',
    'groupby=[firm.tax]',
    '[aggregate]=max([firm.rating])',
    '[aggregate]=count([firm.vault.code])',
    'orderby=[parent.firm.rating]&after=',
  ])('is answered as what is not there: %s', async (query) => {
    const [status, error] = await refused(query);
    const [, plain] = await refused(query.replace(NAMES, 'nothing'));
    expect([status, (error as string).replace(NAMES, 'nothing')]).toEqual([422, plain]);
    expect(plain).toMatch(/^ticket has no field (parent\.)?firm\.nothing$/);
  });

  test('and those who may read it order and group by it, but no group shows what a mask hides', async () => {
    expect(ids(await rowsOf('orderby=[firm.rating]', AGENT))).toBe('t4 t1 t5 t2 t3');
    expect(ids(await rowsOf('orderby=[firm.vault.code],id', SUPERADMIN))).toBe('t3 t4 t1 t2 t5');
    expect(ids(await rowsOf('orderby=[firm.tax]', AUDITOR))).toBe('t3 t4 t1 t5 t2');
    expect(await refused('groupby=[firm.tax]', AUDITOR)).toEqual([422, 'ticket has no field firm.tax']);
    expect(await refused('[aggregate]=max([firm.tax])', AUDITOR)).toEqual([422, 'ticket has no field firm.tax']);
  });

  test('what has no order or is no single value is refused by its path', async () => {
    expect(await refused('orderby=[firm.about/x]')).toEqual([
      422,
      'firm.about/x has no order: it is a part of a json value',
    ]);
    expect(await refused('orderby=[firm.about]')).toEqual([422, 'a json has no order']);
    expect(await refused('orderby=[title]')).toEqual([422, 'ticket has no field title']);
    expect(await refused('orderby=[ticket_by_parent.title]')).toEqual([
      422,
      'ticket has no field ticket_by_parent.title',
    ]);
    expect(await refused('groupby=[firm.about]')).toEqual([422, 'a json cannot be grouped by']);
    expect(await refused('[aggregate]=sum([firm.name])')).toEqual([422, 'a string has no sum']);
    expect(await refused('[bucket]=month([firm.name])')).toEqual([422, 'a string has no month']);
    const nested = 'include=ticket_by_parent&[ticket_by_parent][orderby]=[firm.name]';
    expect(await refused(nested)).toEqual([422, 'ticket has no field [firm.name]']);
    const most = limits.data.filterCrossingMax;
    const many = Array.from({ length: most }, () => '[firm.size][null]=false').join('&');
    expect(await refused(`${many}&orderby=[firm.name]`)).toEqual([422, `at most ${most} conditions over references`]);
  });
});

describe('in GraphQL', () => {
  const list = async (args: string, principal: Principal = USER) =>
    ids((await data(tenant, `{ ticket(${args}) { nodes { id } } }`, {}, principal)).ticket.nodes);

  test('sort names a field under the relations that lead to it', async () => {
    expect(await list('sort: [{firm_: {name: asc}}]')).toBe('t3 t4 t2 t1 t5');
    expect(await list('sort: [{firm_: {size: desc}}, {id: desc}]')).toBe('t2 t5 t1 t4 t3');
    expect(await list('sort: [{parent: {firm_: {name: asc}}}, {id: asc}]')).toBe('t1 t4 t3 t2 t5');
    expect(await list('sort: [{firm_: {name: asc}}]', AGENT)).toBe('t4 t3 t2 t1 t5');
  });

  test('and pages by cursors go by it, too', async () => {
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const query = `{ ticket(sort: [{firm_: {name: desc}}], first: 2${after}) { edges { cursor node { id } } pageInfo { hasNextPage } } }`;
      const { edges, pageInfo } = (await data(tenant, query)).ticket;
      seen.push(ids(edges.map(({ node }: { node: { id: string } }) => node)));
      if (!pageInfo.hasNextPage) break;
      after = `, after: "${edges.at(-1).cursor}"`;
    }
    expect(seen).toEqual(['t5 t1', 't2 t4', 't3']);
    expect(await list('sort: [{firm_: {name: desc}}], last: 2')).toBe('t4 t3');
  });

  test('what does not fit is refused', async () => {
    const failing = async (args: string, principal: Principal = USER) =>
      (await ask(tenant, `{ ticket(${args}) { nodes { id } } }`, {}, { principal })).body.errors[0].message;
    expect(await failing('sort: [{firm_: {rating: asc}}]')).toContain('unknown field "rating"');
    expect(await failing('sort: [{firm_: {vault: {code: asc}}}]')).toContain('unknown field "vault"');
    expect(await failing('sort: [{firm_: {tax: asc}}]')).toBe('ticket has no field firm.tax');
    expect(await failing('sort: [{id: asc, title: asc}]')).toContain('each object of sort names one field');
    expect(await failing('sort: [{firm_: {}}]')).toContain('each object of sort names one field');
    expect(await failing('sort: [{id: asc}], order: [id_asc]')).toBe('sort does not go with order');
    expect(await failing('sort: [{parent: {parent: {parent: {parent: {id: asc}}}}}]')).toBe(
      'a path follows at most 3 references',
    );
  });
});

test('explain names the rows that an order looks up', () => {
  const work = new Work(tenant.activation);
  const { plan } = explain(work, {
    user: { id: 'u1', roles: [] },
    method: 'GET',
    target: '/data/rest/ticket?orderby=[firm.name]',
    data: null,
    asked_by: 'root',
    reason: 'a test',
  });
  expect(plan).toMatchObject({ access: 'table', sorted: true, looked_up: ['firm.name'] });
});

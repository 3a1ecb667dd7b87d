/** `/data/graphql` and `/data/schema` over HTTP to a real node: the GraphQL-over-HTTP audits, and the door's own answers. */
import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { AnswerCheck } from '#test/kit/answer-check.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import type { Headers } from '#test/kit/test-node.ts';

const on = useDataNode();

/** Adds position and credential to the requests of the audits. */
const audited: typeof fetch = (input, init = {}) =>
  fetch(input, { ...init, headers: { ...on.bearer, ...(init.headers as Headers | undefined) } });
const audits = serverAudits({ url: () => `${on.it.gateway}/data/graphql`, fetchFn: audited });

describe('GraphQL over HTTP', () => {
  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
    const result = await audit.fn();
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
  });
});

const graphql = (query: string, headers: Headers = on.bearer, variables = {}) =>
  on.it.call('POST', '/data/graphql', headers, { query, variables });

describe('rows over HTTP', () => {
  test('what GraphQL writes REST reads, and the other way round', async () => {
    const created = await graphql('mutation { create_item(data: {name: "by graphql", price: 2.5}) { id stock } }');
    expect(created.status).toBe(200);
    const { id } = (created.json as { data: { create_item: { id: string } } }).data.create_item;
    const read = await on.it.call('GET', `/data/rest/item/id/${id}`, on.bearer);
    expect((read.json as { data: object[] }).data[0]).toMatchObject({ name: 'by graphql', price: 2.5, stock: 0 });
    await on.it.call('PATCH', `/data/rest/item/id/${id}`, on.bearer, { stock: 9 });
    const seen = await graphql('query ($id: ID!) { item_by_id(id: $id) { stock category { title } } }', on.bearer, {
      id,
    });
    expect(seen.json).toEqual({ data: { item_by_id: { stock: 9, category: null } } });
  });

  test('fifty concurrent creates of one unique name: one wins, and its answer is the row', async () => {
    const mutation = 'mutation { create_item(data: {name: "the only graph"}) { name } }';
    const answers = await Promise.all(Array.from({ length: 50 }, () => graphql(mutation)));
    const won = answers.filter(({ json }) => (json as { data: object | null }).data !== null);
    expect(won).toHaveLength(1);
    expect((await graphql('{ item(filter: {name: {eq: "the only graph"}}) { total } }')).json).toEqual({
      data: { item: { total: 1 } },
    });
  });

  test('an answer of many slices comes whole, and others are served meanwhile', async () => {
    await on.it.call('POST', '/data/rest/category', on.bearer, { id: 'many', title: 'Many' });
    const one = (n: number) => `a${n}: create_item(data: {name: "n${n}", category_id: "many"}) { id }`;
    for (let from = 0; from < 300; from += 50)
      await graphql(`mutation { ${Array.from({ length: 50 }, (_, i) => one(from + i)).join(' ')} }`);
    const query =
      '{ item(first: 300) { nodes { id name category { title item_by_category(first: 1) { nodes { id } } } } } }';
    const [long, short] = await Promise.all([graphql(query), on.it.call('GET', '/data/rest/item?limit=1', on.bearer)]);
    expect(short.status).toBe(200);
    const { item } = (long.json as { data: { item: { nodes: object[] } } }).data;
    expect(item.nodes).toHaveLength(300);
  });
});

describe('credentials and positions', () => {
  const paths: [string, string][] = [
    ['POST', '/data/graphql'],
    ['GET', '/data/graphql'],
    ['GET', '/data/schema'],
    ['GET', '/data/schema/entities'],
    ['GET', '/data/schema/entities/item'],
    ['GET', '/data/schema/graphql'],
    ['GET', '/data/schema/openapi.json'],
  ];

  test.each(paths)('%s %s: 401 without a token, 400 without a position', async (method, path) => {
    const body = method === 'POST' ? { query: '{ __typename }' } : undefined;
    const refused = await on.it.call(method, path, on.it.position(), body);
    expect(refused).toMatchObject({ status: 401, text: 'Unauthorized' });
    const lost = await on.it.call(method, path, { Authorization: on.bearer['Authorization']! }, body);
    expect(lost).toMatchObject({ status: 400, json: { error: 'invalid tenant' } });
    const byStatic = await on.it.call(method, path, { ...on.it.position(), 'X-Api-Key': 'shop-static-secret' }, body);
    expect(byStatic.status).toBe(401);
  });

  test('other verbs on known paths: a bare 405 with Allow; GraphQL has no anonymous mirror', async () => {
    const put = await on.it.call('PUT', '/data/graphql', on.bearer, {});
    expect(put).toMatchObject({ status: 405, text: '' });
    expect(put.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    expect((await on.it.call('POST', '/data/anon/graphql', on.bearer, {})).status).toBe(404);
  });

  test('retired routes answer a bare 404', async () => {
    for (const path of ['ramlschema', 'entities/list', 'entities/list/item', 'entities/references/item', 'hashes/list'])
      expect(await on.it.call('GET', `/data/${path}`, on.bearer)).toMatchObject({ status: 404, text: '' });
  });
});

describe('documents over HTTP', () => {
  test('each with its content type, and 304 for its entity tag', async () => {
    const types = [
      ['/data/schema', 'application/json; charset=utf-8'],
      ['/data/schema/graphql', 'text/plain; charset=utf-8'],
      ['/data/schema/openapi.json', 'application/json; charset=utf-8'],
    ];
    for (const [path, type] of types) {
      const first = await on.it.call('GET', path!, on.bearer);
      expect(first.headers.get('content-type')).toBe(type);
      const again = await on.it.call('GET', path!, { ...on.bearer, 'If-None-Match': first.headers.get('etag')! });
      expect(again).toMatchObject({ status: 304, text: '' });
    }
  });

  test("the door's answers keep to the tenant's OpenAPI document too", async () => {
    const document = await on.it.call('GET', '/data/schema/openapi.json', on.bearer);
    const check = new AnswerCheck(document.json);
    const path = '/data/rest/item';
    const keeps = async (headers: Headers, status: number) => {
      const answer = await on.it.call('GET', path, headers);
      expect(answer.status).toBe(status);
      check.expect(path, 'GET', status, answer.json);
    };
    await keeps(on.bearer, 200);
    await keeps({}, 400);
    await keeps(on.it.position(), 401);
    await keeps({ ...on.bearer, ...on.it.position('acme:shop:dev:sleeping') }, 403);
    expect(JSON.stringify(document.json)).not.toContain('hidden');
  });
});

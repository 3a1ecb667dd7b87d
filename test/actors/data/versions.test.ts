/** `version=N` on the single-row read (docs/contract/data.md §5.3). */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const traits = ['soft_delete', 'versioned'] as const;
const open = { create: 'true', read: 'true', update: 'true', delete: 'true', restore: 'true', purge: 'true' };
const clerk: Principal = { ...USER, subject: 'u2', roles: ['clerk'] };
const product = productOf([
  entityOf('author', { name: { type: 'string' } }),
  entityOf(
    'page',
    {
      text: { type: 'string' },
      secret: { type: 'string', mask: 'redact' },
      author_id: { type: 'ref', ref: { entity: 'author' } },
    },
    { traits, access: { ...open, unmask: "'clerk' in principal.roles && row.text != 'two'" } },
  ),
  entityOf(
    'own',
    { owner: { type: 'string' } },
    { traits, rowRule: "row.owner == principal.subject || row.owner == ''" },
  ),
  entityOf('plain', { text: { type: 'string' } }),
]);

let tenant: DataTenant;
let path: string;
const send = (method: 'POST' | 'PATCH' | 'DELETE', target: string, body?: unknown, principal = USER) =>
  tenant.send(method, `/data/rest/${target}`, body, { principal });
const get = (target: string, principal = USER) => tenant.send('GET', `/data/rest/${target}`, undefined, { principal });
const texts = async (query: string) => (await get(`${path}?${query}`)).body.data?.[0]?.text;

beforeAll(async () => {
  tenant = await DataTenant.open(product);
  const author = (await send('POST', 'author', { name: 'Ada' })).body.data[0].id;
  const { id } = (await send('POST', 'page', { text: 'one', secret: 's1', author_id: author })).body.data[0];
  path = `page/id/${id}`;
  await send('PATCH', path, { text: 'two', secret: 's2', author_id: null });
  await send('DELETE', path);
  await send('POST', `${path}/restore`);
  await send('PATCH', path, { text: 'five' });
});

describe('an old version', () => {
  test('is the row as it was, with its number as ETag; the newest is the row as it is', async () => {
    const first = await get(`${path}?version=1`);
    expect(first).toMatchObject({ status: 200, headers: { ETag: '"1"' } });
    expect(first.body.data[0]).toMatchObject({ text: 'one', version: 1 });
    expect(await texts('version=2')).toBe('two');
    expect(await get(`${path}?version=5`)).toEqual(await get(path));
    expect(await texts('VERSION=1')).toBe('one');
    expect(await texts('version=')).toBe('five');
  });

  test('takes projection, includes, predicates, stats and an expression, all about what it was', async () => {
    expect((await get(`${path}?version=1&select=text`)).body.data).toEqual([{ text: 'one' }]);
    expect((await get(`${path}?version=1&include=author`)).body.data[0].author.name).toBe('Ada');
    expect((await get(`${path}?version=2&include=author`)).body.data[0].author).toBeNull();
    expect(await texts('version=1&text=one')).toBe('one');
    expect((await get(`${path}?version=1&text=five`)).status).toBe(404);
    expect((await get(`${path}?version=1&stats=true`)).body.stats.sql).toContain('"version" = 1');
    expect((await get(`${path}?version=1&expression=.data[0].text`)).body).toBe('one');
  });

  test('that was soft-deleted, or of a row that is, is there with deleted=true', async () => {
    expect((await get(`${path}?version=3`)).status).toBe(404);
    expect(await texts('version=3&deleted=true')).toBe('two');
    const { id } = (await send('POST', 'page', { text: 'x' })).body.data[0];
    await send('DELETE', `page/id/${id}`);
    expect((await get(`page/id/${id}?version=1`)).status).toBe(404);
    expect((await get(`page/id/${id}?version=1&deleted=true`)).body.data[0].text).toBe('x');
  });

  test('that never was, and all after a purge: 404 v2.row_not_found', async () => {
    expect(await get(`${path}?version=6`)).toMatchObject({ status: 404, body: { code: 'v2.row_not_found' } });
    const { id } = (await send('POST', 'page', { text: 'x' })).body.data[0];
    await send('PATCH', `page/id/${id}`, { text: 'y' });
    await send('DELETE', `page/id/${id}?purge=true`);
    expect((await get(`page/id/${id}?version=1&deleted=true`)).status).toBe(404);
  });
});

describe('who may see it', () => {
  test('the row rule must admit the row as it is and as it was', async () => {
    const { id } = (await send('POST', 'own', { owner: 'u1' })).body.data[0];
    await send('PATCH', `own/id/${id}`, { owner: '' });
    expect((await get(`own/id/${id}?version=1`)).status).toBe(200);
    expect((await get(`own/id/${id}`, clerk)).status).toBe(200);
    expect((await get(`own/id/${id}?version=1`, clerk)).status).toBe(404);
  });

  test('masks hold, and open only where they would on the row as it is and as it was', async () => {
    const secret = async (query: string) => (await get(`${path}?unmask=true&${query}`, clerk)).body.data[0].secret;
    expect((await get(`${path}?version=1`, clerk)).body.data[0].secret).toBe('***');
    expect(await secret('version=1')).toBe('s1');
    expect(await secret('version=2')).toBe('***');
    expect((await get(`${path}?version=1&unmask=true`)).body.data[0].secret).toBe('***');
  });
});

test.each([
  ['page?version=1', 'a list'],
  ['page/id/x?version=0', 'no version'],
  ['page/id/x?version=-1', 'no number'],
  ['page/id/x?version=new', 'no number'],
  ['plain/id/x?version=1', 'an entity without the trait'],
])('422 v2.query_failed for %s: %s', async (target) => {
  expect(await get(target)).toMatchObject({
    status: 422,
    body: { code: 'v2.query_failed', details: { parameter: 'version' } },
  });
  if (!target.includes('/id/'))
    expect(await tenant.send('POST', '/data/rest/page/search?version=1', {})).toMatchObject({
      status: 422,
      body: { code: 'v2.search_query_failed' },
    });
});

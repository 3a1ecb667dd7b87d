/** Restore, If-Match and the anonymous mirror, as a caller meets them (docs/contract/data.md §3.3, §6.5, docs/contract/common.md §4.2). */
import { beforeEach, describe, expect, test } from 'vitest';
import { DataTenant, entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';

const product = productOf([
  entityOf('note', { text: { type: 'string', unique: true } }, { traits: ['soft_delete', 'versioned'] }),
  entityOf('plain', { text: { type: 'string' } }),
  entityOf(
    'guarded',
    { owner: { type: 'string' } },
    {
      traits: ['soft_delete'],
      access: { create: 'true', read: 'true', delete: 'true', update: "principal.type == 'user'" },
      rowRule: "principal.superadmin || row.owner == principal.subject || principal.type == 'anonymous'",
    },
  ),
]);

let tenant: DataTenant;
let note: string;
const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  tenant.send(method, `/data/${path}`, body);
const conditional = (method: 'POST' | 'PATCH' | 'DELETE', path: string, ifMatch: string, body?: unknown) =>
  tenant.send(method, `/data/${path}`, body, { principal: SUPERADMIN, extra: `if-match:${ifMatch}\n` });

beforeEach(async () => {
  tenant = await DataTenant.open(product);
  note = (await send('POST', 'rest/note', { text: 'one' })).body.data[0].id;
});

describe('restore', () => {
  test('200: live again, markers gone, the version counted on, its unique value kept meanwhile', async () => {
    await send('DELETE', `rest/note/id/${note}`);
    expect((await send('POST', 'rest/note', { text: 'one' })).status).toBe(422);
    const { status, body, headers } = await send('POST', `rest/note/id/${note}/restore`);
    expect([status, headers['ETag']]).toEqual([200, '"3"']);
    expect(body).toEqual({
      data: [{ id: note, text: 'one', deleted_at: null, deleted_by: null, version: 3 }],
      count: 1,
    });
    expect((await send('GET', 'rest/note')).body.total).toBe(1);
  });

  test.each([
    ['a live row', () => `note/id/${note}`, 422],
    ['an entity without soft delete', () => 'plain/id/x', 422],
    ['no such row', () => 'note/id/01J0000000000000000000000A', 404],
    ['no such entity', () => 'nope/id/x', 404],
    ['no rule', () => 'guarded/id/x', 403],
  ])('%s', async (_, path, status) => {
    const answer = await send('POST', `rest/${path()}/restore`);
    expect(answer).toMatchObject({ status, body: { code: 'v2.restore_failed' } });
  });

  test('400 v2.bad_path; 422 for another datastore', async () => {
    expect(await send('POST', 'rest/note/id//restore')).toMatchObject({ status: 400, body: { code: 'v2.bad_path' } });
    const other = await send('POST', `rest/note/id/${note}/restore?datastore=other`);
    expect(other).toMatchObject({ status: 422, body: { code: 'v2.restore_failed' } });
  });
});

describe('If-Match', () => {
  test.each(['"1"', '*', '"7", "1"'])('%s lets a write of version 1 through', async (tags) => {
    expect((await conditional('PATCH', `rest/note/id/${note}`, tags, { text: 'two' })).status).toBe(200);
  });

  test.each(['"2"', 'W/"1"', '1', ''])('412 for %j, and nothing is written', async (tags) => {
    const stale = await conditional('PATCH', `rest/note/id/${note}`, tags, { text: 'two' });
    expect(stale).toMatchObject({
      status: 412,
      body: { code: 'v2.precondition_failed', details: { version: 1 } },
      headers: { ETag: '"1"' },
    });
    expect((await conditional('DELETE', `rest/note/id/${note}`, tags)).status).toBe(412);
    expect((await send('GET', `rest/note/id/${note}`)).body.data[0]).toMatchObject({ text: 'one', version: 1 });
    await send('DELETE', `rest/note/id/${note}`);
    expect((await conditional('POST', `rest/note/id/${note}/restore`, '"1"')).status).toBe(412);
    expect((await conditional('POST', `rest/note/id/${note}/restore`, '"2"')).status).toBe(200);
  });

  test('a request that fails by itself answers as it would without', async () => {
    const path = 'rest/note/id/01J0000000000000000000000A';
    expect((await conditional('PATCH', path, '"9"', {})).status).toBe(404);
    expect((await conditional('PATCH', `rest/note/id/${note}`, '"9"', { nope: 1 })).status).toBe(422);
  });
});

describe('the anonymous mirror', () => {
  const anonymous = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, authorization = '') =>
    tenant.send(method, `/data/anon/rest/${path}`, body, { authorization });

  test('the same rows under the same rules, without a credential', async () => {
    const made = await anonymous('POST', 'guarded', { owner: 'x' });
    expect(made.status).toBe(201);
    const { id } = made.body.data[0];
    expect((await anonymous('GET', `guarded/id/${id}`)).status).toBe(200);
    expect(await anonymous('PATCH', `guarded/id/${id}`, {})).toMatchObject({
      status: 403,
      body: { code: 'v2.update_failed' },
    });
    expect((await anonymous('GET', `guarded/id/${id}`, undefined, 'Bearer nonsense')).status).toBe(200);
    const deleted = await anonymous('DELETE', `guarded/id/${id}`);
    expect(deleted.body.data[0].deleted_by).toBe('');
  });

  test('an API key is refused there, too', async () => {
    for (const authorization of ['ApiKey a.b', 'apikey', 'APIKEY x'])
      expect(await anonymous('GET', 'note', undefined, authorization)).toMatchObject({
        status: 401,
        body: 'Unauthorized',
      });
  });

  test('has no restore, no action alias and no signing', () => {
    const { routes } = tenant.service;
    const paths = Object.values(routes).map(({ path }) => path);
    for (const [name, { path, methods }] of Object.entries(routes)) {
      if (!path.startsWith('/data/rest')) continue;
      const mirror = routes[`anon_${name}`];
      if (/\/(?:restore|sign|signed)$|\/action\//.test(path)) expect(mirror).toBeUndefined();
      else expect(mirror).toMatchObject({ methods, callers: { auth: 'optional' } });
      expect(mirror?.headers ?? []).not.toContain('x-api-key');
    }
    expect(paths.filter((path) => path.startsWith('/data/anon')).length).toBeGreaterThan(4);
    expect(paths).not.toContain('/data/anon/bulk');
  });
});

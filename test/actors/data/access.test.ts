/** Rules on every path: what a principal may not see, it may not change either. */
import { beforeEach, describe, expect, test } from 'vitest';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const OTHER = { ...USER, subject: 'u2', roles: [] };
const product = productOf([
  entityOf(
    'note',
    { owner: { type: 'string' }, text: { type: 'string' }, locked: { type: 'boolean', default: false } },
    {
      traits: ['soft_delete'],
      access: {
        create: 'row.owner == principal.subject',
        read: 'principal.type == "user"',
        update: '!row.locked',
        delete: '"editor" in principal.roles',
      },
      rowRule: 'row.owner == principal.subject',
    },
  ),
  entityOf('shared', { owner: { type: 'string' } }, { access: { create: 'true', read: 'row.owner == "u1"' } }),
]);

let tenant: DataTenant;
let note: string;
const as = (principal: typeof USER) => ({ principal });

beforeEach(async () => {
  tenant = await DataTenant.open(product);
  note = (await tenant.send('POST', '/data/rest/note', { owner: 'u1', text: 'a' })).body.data[0].id;
});

describe('row rules', () => {
  test('hidden rows are in no list, no total and no single read', async () => {
    const mine = await tenant.send('GET', '/data/rest/note?stats=true');
    expect(mine.body).toMatchObject({ count: 1, total: 1 });
    const theirs = await tenant.send('GET', '/data/rest/note?stats=true', undefined, as(OTHER));
    expect(theirs.body).toMatchObject({ data: [], total: 0, stats: { total_count: 0 } });
    expect((await tenant.send('GET', '/data/rest/note')).body).not.toHaveProperty('total');
    expect((await tenant.send('GET', `/data/rest/note/id/${note}`, undefined, as(OTHER))).status).toBe(404);
  });

  test('hidden rows are not there for a write', async () => {
    const path = `/data/rest/note/id/${note}`;
    expect((await tenant.send('PATCH', path, { text: 'b' }, as(OTHER))).status).toBe(404);
    const editor = { ...OTHER, roles: ['editor'] };
    expect((await tenant.send('DELETE', path, undefined, as(editor))).status).toBe(404);
  });

  test('a row may not be given away', async () => {
    const path = `/data/rest/note/id/${note}`;
    expect(await tenant.send('PATCH', path, { owner: 'u2' })).toMatchObject({
      status: 403,
      body: { code: 'v2.update_failed' },
    });
    expect((await tenant.send('GET', path)).body.data[0].owner).toBe('u1');
  });

  test('a read rule over the row hides what it denies', async () => {
    for (const owner of ['u1', 'u2']) await tenant.send('POST', '/data/rest/shared', { owner });
    expect((await tenant.send('GET', '/data/rest/shared')).body).toMatchObject({ count: 1, data: [{ owner: 'u1' }] });
  });
});

describe('access rules', () => {
  test('create sees the new row, update the row as it is', async () => {
    expect((await tenant.send('POST', '/data/rest/note', { owner: 'u2' })).status).toBe(403);
    const path = `/data/rest/note/id/${note}`;
    expect((await tenant.send('PATCH', path, { locked: true })).status).toBe(200);
    expect((await tenant.send('PATCH', path, { locked: false })).status).toBe(403);
  });

  test('purge needs its own rule too', async () => {
    const path = `/data/rest/note/id/${note}`;
    expect((await tenant.send('DELETE', `${path}?purge=true`)).status).toBe(403);
    expect((await tenant.send('DELETE', path)).status).toBe(200);
  });

  test('a rule that exists counts for superadmin too, internal passes all', async () => {
    expect((await tenant.send('GET', '/data/rest/shared', undefined, as(SUPERADMIN))).status).toBe(200);
    const own = await tenant.send('POST', '/data/rest/note', { owner: 'u1' }, as(SUPERADMIN));
    expect(own.status).toBe(403);
    const engine = new Engine(product);
    const model = engine.models.get('note')!;
    expect(createRow(engine.session(INTERNAL), model, { owner: 'u9' }, asRequest('note'))).toMatchObject({
      kind: 'written',
    });
  });
});

/** The writing rows of docs/contract/data.md §6 over HTTP to a real node: each test names the row it proves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Depot, type DepotReply } from '#test/kit/depot.ts';
import type { Headers } from '#test/kit/test-node.ts';

const UNKNOWN = '01J0000000000000000000000A';
const STATIC = { 'X-Api-Key': 'depot-static-secret' };

let it: Depot;
beforeAll(async () => {
  it = await Depot.open();
});
afterAll(() => it.node.stop());
const send: Depot['send'] = (...request) => it.send(...request);
const as: Depot['as'] = (extra) => it.as(extra);
const anonymous = (): Headers => it.node.position();
const make: Depot['make'] = (...row) => it.make(...row);
const box: Depot['box'] = (row) => it.box(row);
const shelf: Depot['shelf'] = (row) => it.shelf(row);
const total: Depot['total'] = (entity) => it.total(entity);

type Row = readonly [row: string, status: number, code: string | null, request: () => Promise<DepotReply>];

const creates: Row[] = [
  ['Create: 201 with the created row in data', 201, null, () => send('POST', 'rest/box', { name: 'x' })],
  ['Create: v2.bad_json', 400, 'v2.bad_json', () => send('POST', 'rest/box', '{"name":')],
  ['Create: v2.entity_not_found', 404, 'v2.entity_not_found', () => send('POST', 'rest/nope', {})],
  ['Create: 422 v2.create_failed on validation', 422, 'v2.create_failed', () => send('POST', 'rest/box', {})],
  ['Create: 403 v2.create_failed on denial', 403, 'v2.create_failed', () => send('POST', 'rest/vaulted', {})],
  ['Create: unknown datastore', 422, 'v2.create_failed', () => send('POST', 'rest/box?datastore=x', { name: 'x' })],
];

const updates: Row[] = [
  [
    'Update: 200 with the row, key in the path',
    200,
    null,
    async () => send('PATCH', `rest/box/id/${await box()}`, { count: 2 }),
  ],
  ['Update: PUT is the same', 200, null, async () => send('PUT', `rest/box/id/${await box()}`, { count: 2 })],
  [
    'Update: 200 with the row, key in the body',
    200,
    null,
    async () => send('PATCH', 'rest/box', { id: await box(), count: 2 }),
  ],
  ['Update: PUT, key in the body', 200, null, async () => send('PUT', 'rest/box', { id: await box(), count: 2 })],
  ['Update: v2.bad_json', 400, 'v2.bad_json', async () => send('PATCH', `rest/box/id/${await box()}`, '[]')],
  ['Update: v2.missing_id', 400, 'v2.missing_id', () => send('PATCH', 'rest/box', { count: 2 })],
  [
    'Update: v2.id_mismatch',
    422,
    'v2.id_mismatch',
    async () => send('PATCH', `rest/box/id/${await box()}`, { id: UNKNOWN }),
  ],
  [
    'Update: 404 on a missing row',
    404,
    'v2.update_failed',
    () => send('PATCH', `rest/box/id/${UNKNOWN}`, { count: 2 }),
  ],
  ['Update: 404 on a missing entity', 404, 'v2.update_failed', () => send('PATCH', `rest/nope/id/${UNKNOWN}`, {})],
  [
    'Update: 422 on validation',
    422,
    'v2.update_failed',
    async () => send('PATCH', `rest/box/id/${await box()}`, { count: 'x' }),
  ],
  [
    'Update: 403 on denial',
    403,
    'v2.update_failed',
    async () => send('PATCH', `rest/seal/id/${await make('seal', {})}`, {}),
  ],
];

const deletes: Row[] = [
  ['Delete: 200, soft by default', 200, null, async () => send('DELETE', `rest/box/id/${await box()}`)],
  ['Delete: purge adds its rule', 200, null, async () => send('DELETE', `rest/box/id/${await box()}?purge=true`)],
  [
    'Delete: deletechildren is ignored',
    200,
    null,
    async () => send('DELETE', `rest/box/id/${await box()}?deletechildren=true`),
  ],
  ['Delete: 404', 404, 'v2.delete_failed', () => send('DELETE', `rest/box/id/${UNKNOWN}`)],
  [
    'Delete: 403 by the purge rule',
    403,
    'v2.delete_failed',
    async () => send('DELETE', `anon/rest/box/id/${await box()}?purge=true`, undefined, anonymous()),
  ],
  [
    'Delete: 422 while references hold the row',
    422,
    'v2.delete_failed',
    async () => {
      const held = await shelf();
      await box({ shelf_id: held });
      return send('DELETE', `rest/shelf/id/${held}`);
    },
  ],
];

const deleted = async (entity: string, row: Record<string, unknown>): Promise<string> => {
  const id = await make(entity, row);
  expect((await send('DELETE', `rest/${entity}/id/${id}`)).status).toBe(200);
  return `rest/${entity}/id/${id}/restore`;
};
const restores: Row[] = [
  ['Restore: no body, 200', 200, null, async () => send('POST', await deleted('box', { name: 'x' }))],
  ['Restore: 403', 403, 'v2.restore_failed', async () => send('POST', await deleted('seal', {}))],
  ['Restore: 404', 404, 'v2.restore_failed', () => send('POST', `rest/box/id/${UNKNOWN}/restore`)],
  [
    'Restore: 422 for a live row',
    422,
    'v2.restore_failed',
    async () => send('POST', `rest/box/id/${await box()}/restore`),
  ],
  [
    'Restore: 422 without the trait',
    422,
    'v2.restore_failed',
    async () => send('POST', `rest/shelf/id/${await shelf()}/restore`),
  ],
];

const envelopes: Row[] = [
  ['Envelope: 200', 200, null, () => send('POST', 'rest', { operations: [{ data: { box: { name: 'x' } } }] })],
  [
    'Envelope: v2.body_read',
    400,
    'v2.body_read',
    () => it.raw('POST', 'rest', Buffer.from('{"operations":"\xff"}', 'latin1')),
  ],
  ['Envelope: v2.bad_json', 400, 'v2.bad_json', () => send('POST', 'rest', '{')],
  ['Envelope: v2.empty_envelope', 400, 'v2.empty_envelope', () => send('POST', 'rest', { operations: [] })],
  [
    'Envelope: v2.bulk_failed',
    422,
    'v2.bulk_failed',
    () => send('POST', 'rest', { operations: [{ data: { box: {} } }] }),
  ],
  [
    'Envelope: an array only on create',
    422,
    'v2.bulk_failed',
    () => send('PUT', 'rest', { operations: [{ data: { box: [] } }] }),
  ],
  [
    'Envelope: one entity per operation',
    422,
    'v2.bulk_failed',
    () => send('POST', 'rest', { operations: [{ data: { box: {}, shelf: {} } }] }),
  ],
];

describe.each([
  ['Create', creates],
  ['Update', updates],
  ['Delete', deletes],
  ['Restore', restores],
  ['Operations envelope', envelopes],
])('%s', (_, rows) => {
  test.each(rows)('%s → %i %s', async (_row, status, code, request) => {
    const answer = await request();
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.json.code ?? null).toBe(code);
    if (code !== null) expect(answer.json.error).toEqual(expect.any(String));
    else if (status < 300 && answer.json.operations === undefined)
      expect(answer.json).toMatchObject({ count: 1, data: [{}] });
  });
});

/** An empty segment reaches the service on its own routes (`emptyParams`). */
test.each([
  ['DELETE', 'rest/box/id/'],
  ['POST', 'rest/box/id//restore'],
  ['PATCH', 'rest/'],
])('400 v2.bad_path for %s %s', async (method, path) => {
  const answer = await send(method, path, method === 'PATCH' ? {} : undefined);
  expect(answer).toMatchObject({ status: 400, json: { code: 'v2.bad_path' } });
});

describe('what the rows say of a write', () => {
  test('soft delete: post-image, hidden unless deleted=true; purge: the row as it last existed', async () => {
    const id = await box({ name: 'gone' });
    const soft = await send('DELETE', `rest/box/id/${id}?stats=true`);
    expect(soft.json.data[0]).toMatchObject({
      id,
      version: 2,
      deleted_at: expect.any(String),
      deleted_by: expect.any(String),
    });
    expect(soft.json.stats).toMatchObject({ rows_affected: 1, sql: expect.stringMatching(/^UPDATE "box"/) });
    expect((await send('GET', `rest/box/id/${id}`)).status).toBe(404);
    expect((await send('GET', `rest/box/id/${id}?deleted=true`)).status).toBe(200);
    const purged = await send('DELETE', `rest/box/id/${id}?purge=true`);
    expect(purged.json.data[0]).toEqual(soft.json.data[0]);
    expect((await send('GET', `rest/box/id/${id}?deleted=true`)).status).toBe(404);
  });

  test('a cascade of thousands takes its tenant and leaves no request waiting for long', async () => {
    const outer = await box({ name: 'outer' });
    const many = Array.from({ length: 3000 }, (_, i) => ({ name: `inner ${i}`, inside_id: outer }));
    expect((await send('POST', 'rest', { operations: [{ data: { box: many } }] })).status).toBe(200);
    const before = await total('box');
    const [purged, read] = await Promise.all([
      send('DELETE', `rest/box/id/${outer}?purge=true`),
      send('GET', 'rest/shelf?limit=1'),
    ]);
    expect([purged.status, read.status]).toEqual([200, 200]);
    expect(await total('box')).toBe(before - 3001);
  });

  test('If-Match: 412 v2.precondition_failed for another version, ETag with the present one', async () => {
    const id = await box();
    const path = `rest/box/id/${id}`;
    expect((await send('PATCH', path, { count: 2 }, as({ 'If-Match': '"1"' }))).headers.get('etag')).toBe('"2"');
    const stale = await send('PATCH', path, { count: 3 }, as({ 'If-Match': '"1"' }));
    expect([stale.status, stale.json.code, stale.headers.get('etag')]).toEqual([412, 'v2.precondition_failed', '"2"']);
    expect((await send('DELETE', path, undefined, as({ 'If-Match': '"1"' }))).status).toBe(412);
    expect((await send('GET', path)).json.data[0]).toMatchObject({ count: 2, version: 2 });
  });

  test('the static key: GET of a list, PATCH of the envelope, and no other route', async () => {
    const id = await box();
    const key = { ...it.node.position(), ...STATIC };
    const operations = { operations: [{ action: 'create', data: { box: { name: 'by key' } } }] };
    expect((await send('GET', 'rest/box?limit=1', undefined, key)).status).toBe(200);
    expect((await send('PATCH', 'rest', operations, key)).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', `rest/box/id/${id}`],
      ['POST', 'rest/box', { name: 'x' }],
      ['PATCH', 'rest/box', { id, count: 1 }],
      ['PATCH', `rest/box/id/${id}`, { count: 1 }],
      ['DELETE', `rest/box/id/${id}`],
      ['POST', `rest/box/id/${id}/restore`],
      ['POST', 'rest', operations],
      ['PUT', 'rest', operations],
      ['DELETE', 'rest', operations],
    ] as const) {
      const answer = await send(method, path, body, key);
      expect([method, path, answer.status, answer.text]).toEqual([method, path, 401, 'Unauthorized']);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
    expect((await send('GET', 'rest/box', undefined, { ...it.node.position(), 'X-Api-Key': 'wrong' })).status).toBe(
      401,
    );
  });

  test('the mirror: the same writes without a credential under the same rules; no restore', async () => {
    const made = await send('POST', 'anon/rest/box', { name: 'found' }, anonymous());
    const id = made.json.data[0]!['id'] as string;
    expect(made.status).toBe(201);
    expect((await send('PATCH', `anon/rest/box/id/${id}`, { count: 3 }, anonymous())).status).toBe(200);
    expect((await send('PUT', 'anon/rest/box', { id, count: 4 }, anonymous())).status).toBe(200);
    expect((await send('PATCH', `anon/rest/box/id/${id}`, { name: 'hidden' }, anonymous())).status).toBe(403);
    expect((await send('DELETE', `anon/rest/box/id/${id}`, undefined, anonymous())).status).toBe(200);
    const restored = await send('POST', `anon/rest/box/id/${id}/restore`, undefined, anonymous());
    expect([restored.status, restored.text]).toEqual([404, '']);
    expect(
      (await send('POST', 'anon/rest', { operations: [{ data: { vaulted: {} } }] }, anonymous())).json,
    ).toMatchObject({
      code: 'v2.bulk_failed',
      details: { status: 403 },
    });
    expect((await send('POST', 'anon/rest/box', { name: 'x' }, {})).status).toBe(400);
    expect(
      (await send('POST', 'anon/rest/box', { name: 'x' }, { ...anonymous(), Authorization: 'ApiKey a.b' })).text,
    ).toBe('Unauthorized');
  });

  test('the platform’s own entity is out of reach on every path', async () => {
    const paths: readonly (readonly [string, string, unknown?])[] = [
      ['GET', 'rest/api_key'],
      ['POST', 'rest/api_key', { id: 'x' }],
      ['PATCH', 'rest/api_key', { id: 'x' }],
      ['DELETE', 'rest/api_key/id/x'],
      ['POST', 'rest/api_key/id/x/restore'],
    ];
    for (const [method, path, body] of paths) expect((await send(method, path, body)).status).toBe(404);
    const enveloped = await send('POST', 'rest', { operations: [{ data: { api_key: { id: 'x' } } }] });
    expect(enveloped.json).toMatchObject({ code: 'v2.bulk_failed', details: { status: 404 } });
  });
});

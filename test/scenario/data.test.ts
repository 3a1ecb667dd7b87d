/** Entity REST over HTTP to a real node, on durable storage. Spec: docs/contract/data.md §3, §4, §10. */
import { describe, expect, test } from 'vitest';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';
import { useDataNode } from '#test/kit/data-node.ts';

interface Envelope {
  readonly data: Record<string, unknown>[];
  readonly count: number;
  readonly total?: number;
  readonly code?: string;
}

const on = useDataNode();

const rest = async (method: string, path: string, body?: unknown): Promise<{ status: number; json: Envelope }> =>
  on.it.call(method, `/data/rest/${path}`, on.bearer, body);

describe('the life of a row', () => {
  test('create 201, read 200, patch 200, delete 200, then 404 v2.row_not_found', async () => {
    const created = await rest('POST', 'item', { name: 'a life', price: 1.5 });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ count: 1, data: [{ name: 'a life', price: 1.5, stock: 0 }] });
    const id = created.json.data[0]!['id'] as string;
    expect((await rest('GET', `item/id/${id}`)).json.data[0]).toMatchObject({ id, name: 'a life' });
    const patched = await rest('PATCH', `item/id/${id}`, { stock: 7 });
    expect(patched.status).toBe(200);
    expect(patched.json.data[0]).toMatchObject({ stock: 7, name: 'a life' });
    expect((await rest('PUT', 'item', { id, stock: 8 })).json.data[0]).toMatchObject({ stock: 8 });
    expect((await rest('DELETE', `item/id/${id}`)).status).toBe(200);
    const gone = await rest('GET', `item/id/${id}`);
    expect(gone.status).toBe(404);
    expect(gone.json.code).toBe('v2.row_not_found');
  });

  test('a read sees the write that was acknowledged just before, however fast', async () => {
    for (let i = 0; i < 50; i++) {
      const created = await rest('POST', 'item', { name: `fast ${i}`, token: `t${i}` });
      const id = created.json.data[0]!['id'] as string;
      expect((await rest('GET', `item/id/${id}`)).status).toBe(200);
      expect((await rest('GET', `item?token=t${i}`)).json.count).toBe(1);
    }
  });

  test('fifty concurrent creates of one unique name: one wins', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => rest('POST', 'item', { name: 'the only one' })));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 422)).toHaveLength(49);
    expect((await rest('GET', `item?name=${encodeURIComponent('the only one')}`)).json.count).toBe(1);
  });
});

describe('references', () => {
  test('a missing target is refused, a referenced row cannot go', async () => {
    expect((await rest('POST', 'item', { name: 'lost', category_id: 'none' })).status).toBe(422);
    await rest('POST', 'category', { id: 'tools', title: 'Tools' });
    const item = await rest('POST', 'item', { name: 'hammer', category_id: 'tools' });
    expect(item.status).toBe(201);
    const refused = await rest('DELETE', 'category/id/tools');
    expect(refused.status).toBe(422);
    expect(refused.json.code).toBe('v2.delete_failed');
    await rest('DELETE', `item/id/${item.json.data[0]!['id'] as string}`);
    expect((await rest('DELETE', 'category/id/tools')).status).toBe(200);
  });
});

describe('credentials', () => {
  test.each([
    ['none', {}],
    ['a broken token', { Authorization: 'Bearer v4.public.AAAA' }],
    ['another scheme', { Authorization: 'Basic YTpi' }],
    ['nothing after the scheme', { Authorization: 'Bearer ' }],
  ])('%s: a plain-text 401 without a code', async (_name, headers) => {
    const answer = await on.it.call('GET', '/data/rest/item', { ...on.it.position(), ...headers });
    expect(answer.status).toBe(401);
    expect(answer.text).toBe('Unauthorized');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  test('an issued API key does not open data', async () => {
    const answer = await on.it.call('GET', '/data/rest/item', {
      ...on.it.position(),
      Authorization: `ApiKey ${on.it.apiKey}`,
    });
    expect(answer).toMatchObject({ status: 401, text: 'Unauthorized' });
  });

  test('a token of another position gets the plain 401', async () => {
    const answer = await on.it.call('GET', '/data/rest/item', { ...on.bearer, ...on.it.position(OTHER_TENANT) });
    expect(answer).toMatchObject({ status: 401, text: 'Unauthorized' });
  });

  test('the static key opens the list and nothing else', async () => {
    const headers = { ...on.it.position(), 'X-Api-Key': 'shop-static-secret' };
    expect((await on.it.call('GET', '/data/rest/item', headers)).status).toBe(200);
    expect((await on.it.call('GET', '/data/rest/item/id/x', headers)).status).toBe(401);
    expect((await on.it.call('POST', '/data/rest/item', headers, { name: 'no' })).status).toBe(401);
    expect((await on.it.call('GET', '/data/rest/item', { ...headers, 'X-Api-Key': 'shop-static-secreT' })).status).toBe(
      401,
    );
  });

  test('an entity without rules is closed: 403', async () => {
    const answer = await rest('GET', 'hidden');
    expect(answer.status).toBe(403);
    expect(answer.json.code).toBe('v2.query_failed');
  });
});

describe('bad input is answered, never a 500, and writes nothing', () => {
  const bodies: [string, string, number, string][] = [
    ['not JSON', '{', 400, 'v2.bad_json'],
    ['empty', '', 400, 'v2.bad_json'],
    ['duplicate keys', '{"name":"d","name":"e"}', 400, 'v2.bad_json'],
    ['__proto__', '{"name":"p","__proto__":{"x":1}}', 400, 'v2.bad_json'],
    ['a depth bomb', '['.repeat(5000), 400, 'v2.bad_json'],
    ['a lone surrogate', '{"name":"\\ud800"}', 400, 'v2.bad_json'],
    ['an unknown field', '{"name":"u","nope":1}', 422, 'v2.create_failed'],
    ['a wrong type', '{"name":5}', 422, 'v2.create_failed'],
    ['a missing field', '{"stock":1}', 422, 'v2.create_failed'],
    ['below the minimum', '{"name":"m","price":-1}', 422, 'v2.create_failed'],
    ['a fraction for an integer', '{"name":"f","stock":1.5}', 422, 'v2.create_failed'],
    ['constructor as a field', '{"name":"c","constructor":{}}', 422, 'v2.create_failed'],
  ];

  test.each(bodies)('%s', async (_name, body, status, code) => {
    const before = (await rest('GET', 'item')).json.total;
    const answer = await on.it.call(
      'POST',
      '/data/rest/item',
      { ...on.bearer, 'Content-Type': 'application/json' },
      body,
    );
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ code });
    expect((await rest('GET', 'item')).json.total).toBe(before);
  });

  test('an unknown entity: 404 v2.entity_not_found', async () => {
    for (const name of ['nothing', '__proto__', 'constructor', 'api_key', 'a'.repeat(3000)]) {
      const answer = await rest('GET', name);
      expect(answer.status).toBe(404);
      expect(answer.json.code).toBe('v2.entity_not_found');
    }
  });

  test('an unknown filter field: 422 naming it', async () => {
    const answer = await on.it.call('GET', '/data/rest/item?nope=1', on.bearer);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('nope');
  });
});

describe('tenants', () => {
  test('what one tenant writes another cannot see', async () => {
    const key = (await on.it.node.ask(OTHER_TENANT, 'identity', 'key.issue', {
      capabilities: { scope: ['acme:dev:shop:other'] },
    })) as { key: string };
    const exchanged = await on.it.call('POST', '/auth/token', {
      ...on.it.position(OTHER_TENANT),
      Authorization: `ApiKey ${key.key}`,
    });
    const other = {
      ...on.it.position(OTHER_TENANT),
      Authorization: `Bearer ${(exchanged.json as { token: string }).token}`,
    };
    const created = await rest('POST', 'item', { name: 'mine' });
    const id = created.json.data[0]!['id'] as string;
    expect((await on.it.call('GET', `/data/rest/item/id/${id}`, other)).status).toBe(404);
    expect((await on.it.call('GET', '/data/rest/item', other)).json).toMatchObject({ count: 0, total: 0 });
    expect((await on.it.call('GET', '/data/rest/item', { ...other, ...on.it.position() })).status).toBe(401);
  });
});

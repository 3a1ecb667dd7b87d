/** The BFF over HTTP: calls of this node's services and of upstreams outside, composed. Source: docs/contract/bff.md. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';
import { FILES } from './bff-endpoints.ts';

let node: BffNode;
let service: Headers;
let anonymous: Headers;
const text = (value: string) => (_: unknown, response: ServerResponse) =>
  void response.end(JSON.stringify({ text: value }));
const get = (path: string, headers = anonymous): Promise<Answer> => node.call('GET', `/bff${path}`, headers);

beforeAll(async () => {
  node = await startBff(FILES);
  service = await node.service();
  anonymous = node.position();
});
afterAll(() => node.stop());
beforeEach(() => {
  node.upstream.received.length = 0;
  node.other.received.length = 0;
  node.upstream.answer = text('sun');
  node.other.answer = text('moon');
});

describe('composition', () => {
  test('calls of two services and of an upstream make one answer', async () => {
    await node.call('POST', '/data/rest/category', service, { id: 'c1', title: 'Bread & Butter' });
    await node.call('POST', '/data/rest/item', service, { name: 'roll', price: 1.5, category_id: 'c1' });
    await node.call('POST', '/data/rest/item', service, { name: 'bun', price: 2, category_id: 'c1' });
    await node.call('POST', '/content/blog/post', service, { title: 'Baking', status: 'published' });
    const page = await get('/page/Bread%20%26%20Butter', { ...service, 'Accept-Language': 'fr' });
    expect([page.status, page.json, page.headers.get('x-degraded')]).toEqual([
      200,
      {
        data: {
          title: 'Bread & Butter',
          items: [
            { name: 'bun', price: 2 },
            { name: 'roll', price: 1.5 },
          ],
          posts: ['Baking'],
          weather: 'sun',
        },
      },
      null,
    ]);
    const [asked] = node.upstream.received;
    expect(asked).toMatchObject({
      path: '/weather?place=Bread+%26+Butter',
      headers: { 'x-api-key': 'upstream-key', 'accept-language': 'fr' },
    });
    expect(Object.keys(asked!.headers)).not.toContain('authorization');
  });

  test('without a response the answers stand under their names', async () => {
    expect((await get('/plain')).json).toEqual({ data: { one: { text: 'sun' }, two: { text: 'moon' } } });
    const own = node.node.listeners['bff']!;
    expect((await node.call('GET', '/plain', anonymous, undefined, own)).json).toEqual((await get('/plain')).json);
    const head = await node.call('HEAD', '/bff/plain', anonymous);
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test('trace and request id go along, a malformed trace does not', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await get('/fatal', { ...anonymous, traceparent, tracestate: 'a=1', 'X-Request-Id': 'r-1' });
    await get('/fatal', { ...anonymous, traceparent: '00-zz-1-01' });
    const [first, second] = node.upstream.received.map(({ headers }) => headers);
    expect(first).toMatchObject({ traceparent, tracestate: 'a=1', 'x-request-id': 'r-1' });
    expect(second).not.toHaveProperty('traceparent');
  });

  test('a body is filled with values, not with text', async () => {
    const headers = { ...anonymous, 'If-Match': '"3"' };
    await node.call('PUT', '/bff/remote/a%2Fb%20c?a=1&a=2', headers, {
      note: '"}],{{path.id}}',
      deep: [1, { b: null }],
    });
    const [asked] = node.upstream.received;
    expect([asked!.method, asked!.path, asked!.headers['if-match']]).toEqual(['PUT', '/remote/a%2Fb%20c/end', '"3"']);
    expect(JSON.parse(asked!.body)).toEqual({
      id: 'a/b c',
      sent: { note: '"}],{{path.id}}', deep: [1, { b: null }] },
      list: ['1', 1],
      note: '<"}],{{path.id}}>',
    });
  });
});

describe('failures', () => {
  test('a fatal call: 502 with call and reason, 504 when its time is up', async () => {
    node.upstream.answer = (_, response) => void response.writeHead(500).end('{}');
    const broken = await get('/fatal');
    expect([broken.status, broken.json]).toEqual([
      502,
      {
        error: 'the call "one" failed',
        code: 'bff.upstream_failed',
        details: { call: 'one', reason: 'status', status: 500 },
      },
    ]);
    node.upstream.answer = (_, response) => void response.end('not JSON');
    expect((await get('/fatal')).json).toMatchObject({ details: { call: 'one', reason: 'schema' } });
    expect((await get('/gone')).json).toMatchObject({ details: { call: 'one', reason: 'refused' } });
    node.upstream.answer = () => undefined;
    const late = await get('/fatal');
    expect([late.status, late.json]).toMatchObject([504, { details: { call: 'one', reason: 'timeout' } }]);
  });

  test('degraded: null, default and stale, named in X-Degraded and meta', async () => {
    node.upstream.answer = (_, response) => void response.writeHead(404).end();
    node.other.answer = (_, response) => void response.writeHead(404).end();
    const page = await get('/page/none', service);
    expect([page.status, page.headers.get('x-degraded')]).toEqual([502, null]);
    node.upstream.answer = text('sun');
    const plain = await get('/plain');
    expect([plain.status, plain.headers.get('x-degraded'), plain.json]).toEqual([
      200,
      'two',
      {
        data: { one: { text: 'sun' }, two: { text: 'none' } },
        meta: { degraded: [{ call: 'two', reason: 'status' }] },
      },
    ]);
    // The answers stand in the order of the declaration, also where the first comes last.
    node.upstream.answer = (_, response) => void setTimeout(() => response.end('1'), 50);
    expect((await get('/plain')).text).toMatch(/"one":.*"two":/);
    expect((await get('/stale')).json).toEqual({ n: 0, said: 'n is 0' });
    node.other.answer = (_, response) => void response.end('{"n":7}');
    expect((await get('/stale')).json).toEqual({ n: 7, said: 'n is 7' });
    node.other.answer = (_, response) => void response.writeHead(404).end();
    const stale = await get('/stale');
    expect([stale.json, stale.headers.get('x-degraded')]).toEqual([{ n: 7, said: 'n is 7' }, 'one']);
  });

  test('a call that needs a failed one fails as that did; one whose answer lacks the value, by its form', async () => {
    node.other.answer = (_, response) => void response.writeHead(404).end();
    const chain = await get('/chain');
    expect([chain.headers.get('x-degraded'), chain.json]).toEqual([
      'first, last',
      {
        data: { first: null, free: { text: 'sun' }, last: [] },
        meta: {
          degraded: [
            { call: 'first', reason: 'status' },
            { call: 'last', reason: 'status' },
          ],
        },
      },
    ]);
    node.other.answer = text('no id');
    expect((await get('/chain')).json).toMatchObject({ meta: { degraded: [{ call: 'last', reason: 'schema' }] } });
    expect(node.upstream.received.map(({ path }) => path)).toEqual(['/free', '/free']);
  });

  test('what passes is tried again, as often as declared', async () => {
    let left = 2;
    node.other.answer = (_, response) => void response.writeHead(left-- > 0 ? 503 : 200).end('{"text":"back"}');
    expect((await get('/retry')).json).toEqual({ data: { one: { text: 'back' } } });
    expect(node.other.received).toHaveLength(3);
  });

  test('a value that a call needs is missing: 400, and nothing is sent', async () => {
    for (const query of ['', '?id=', '?id=.', '?id=..', '?id=%2e%2e']) {
      const answer = await get(`/lookup${query}`);
      expect([answer.status, answer.json], query).toMatchObject([
        400,
        { code: 'bff.bad_value', details: { call: 'one' } },
      ]);
    }
    expect((await node.call('PUT', '/bff/remote/x', anonymous, '{"a":1,"a":2}')).json).toMatchObject({
      code: 'bff.bad_body',
    });
    expect(node.upstream.received).toEqual([]);
  });

  test('a value stays in its segment, whatever it is', async () => {
    for (const value of [
      'a/b',
      '..%2f..',
      'a?b=c',
      'a#b',
      'a\r\nX: y',
      '{{principal.tenant}}',
      '@evil.example',
      '%2e%2e',
    ])
      await get(`/lookup?id=${encodeURIComponent(value)}`);
    const paths = node.upstream.received.map(({ path }) => path);
    expect(paths).toHaveLength(8);
    for (const path of paths) expect(path).toMatch(/^\/lookup\/[^/?#\\]+\/end$/);
    expect(paths.at(-3)).toBe('/lookup/%7B%7Bprincipal.tenant%7D%7D/end');
    for (const value of ['../..', '\\..\\', '..'])
      expect((await get(`/lookup?id=${encodeURIComponent(value)}`)).json).toMatchObject({ code: 'bff.bad_value' });
    expect(node.upstream.received).toHaveLength(8);
  });
});

describe('who asks', () => {
  test('an endpoint is for its kind of callers', async () => {
    expect((await get('/users')).status).toBe(401);
    expect((await get('/users', service)).json).toMatchObject({ code: 'bff.forbidden', details: { auth: 'user' } });
    expect((await get('/plain', { ...anonymous, Authorization: 'Bearer nonsense' })).json).toMatchObject({
      code: 'bff.unauthorized',
    });
    expect((await get('/plain', node.position(OTHER_TENANT))).status).toBe(200);
    expect((await get('/plain', {})).status).toBe(400);
  });

  test('services judge the caller: without a credential it gets nothing', async () => {
    const answer = await get('/hidden');
    expect([answer.status, answer.json]).toMatchObject([
      502,
      { details: { call: 'rows', reason: 'status', status: 401 } },
    ]);
    expect((await get('/hidden', service)).status).toBe(200);
  });

  test('kept answers are of one principal', async () => {
    let n = 0;
    node.upstream.answer = (_, response) => void response.end(String(++n));
    expect((await get('/cached?q=1', service)).json).toBe(1);
    expect((await get('/cached?q=1', service)).json).toBe(1);
    expect((await get('/cached?q=2', service)).json).toBe(2);
    const other = await node.service(OTHER_TENANT).catch(() => null);
    if (other !== null) expect((await get('/cached?q=1', other)).status).toBe(401);
    const first = await get('/whole/1');
    const again = await get('/whole/1');
    expect([first.headers.get('x-cache'), again.headers.get('x-cache')]).toEqual(['MISS', 'HIT']);
    expect(again.json).toBe(first.json);
    expect((await get('/whole/1', service)).headers.get('x-cache')).toBe('MISS');
    expect((await get('/whole/2')).headers.get('x-cache')).toBe('MISS');
    expect((await get('/whole/1?junk=1')).headers.get('x-cache')).toBe('HIT');
  });

  test('identical reads that are on their way are one, of one principal', async () => {
    const held: ServerResponse[] = [];
    const arrived = new Promise<void>((resolve) => {
      node.upstream.answer = (_, response) => {
        held.push(response);
        if (held.length === 2) resolve();
      };
    });
    const mine = [get('/cached?q=same', service), get('/cached?q=same', service), get('/cached?q=other', service)];
    await arrived;
    for (const response of held) response.end('{"n":1}');
    expect((await Promise.all(mine)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(node.upstream.received.map(({ path }) => path).toSorted()).toEqual(['/cached?q=other', '/cached?q=same']);
  });
});

describe('writes', () => {
  test('a write waits for what could still fail the answer', async () => {
    const rows = async () =>
      ((await node.call('GET', '/data/rest/item?token=by%20service', service)).json as { data: [] }).data;
    node.upstream.answer = (_, response) => void response.writeHead(409).end();
    const refused = await node.call('POST', '/bff/order', service, { name: 'loaf', price: 3 });
    expect([refused.status, refused.json]).toMatchObject([502, { details: { call: 'check' } }]);
    expect(await rows()).toEqual([]);
    node.upstream.answer = text('ok');
    const made = await node.call('POST', '/bff/order', service, { name: 'loaf', price: 3 });
    expect([made.status, made.json]).toMatchObject([200, { name: 'loaf', price: 3, token: 'by service' }]);
    expect(await rows()).toHaveLength(1);
  });
});

describe('the service', () => {
  test('/list shows each caller what it may call, /health and /ready answer', async () => {
    const { json } = await node.call('GET', '/bff/list', service);
    const listed = json as { count: number; endpoints: { name: string; calls: object[] }[] };
    const mine = listed.endpoints.map((one) => (one as unknown as { auth: string }).auth);
    expect([listed.count, mine.includes('service'), mine.includes('public'), mine.includes('user')]).toEqual([
      listed.endpoints.length,
      true,
      true,
      false,
    ]);
    expect(listed.endpoints.find(({ name }) => name === 'order')).toEqual({
      name: 'order',
      method: 'POST',
      path: '/order',
      auth: 'service',
      cache_ms: 0,
      calls: [
        {
          name: 'check',
          to: 'outside',
          method: 'GET',
          stage: 0,
          needs: [],
          on_error: 'fatal',
          timeout_ms: 5000,
          retries: 0,
          cache_ms: 0,
        },
        {
          name: 'create',
          to: 'data',
          method: 'POST',
          stage: 1,
          needs: ['check'],
          on_error: 'fatal',
          timeout_ms: 5000,
          retries: 0,
          cache_ms: 0,
        },
      ],
    });
    const strangers = (await get('/list')).json as { endpoints: { auth: string; calls?: object[] }[] };
    expect(strangers.endpoints.length).toBeGreaterThan(0);
    for (const { auth, calls } of strangers.endpoints) expect([auth, calls]).toEqual(['public', undefined]);
    const own = node.node.listeners['bff']!;
    for (const base of [own, `${node.gateway}/bff`]) {
      expect((await node.call('GET', '/health', {}, undefined, base)).json).toMatchObject({ healthy: true });
      expect((await node.call('GET', '/ready', {}, undefined, base)).text).toBe('ready:true');
      const asked = await node.call('GET', '/ready', { Accept: 'application/json' }, undefined, base);
      expect(asked.json).toEqual({ ready: true });
      expect((await node.call('GET', '/list', anonymous, undefined, base)).status).toBe(200);
    }
  });

  test('no endpoint, another method', async () => {
    expect((await get('/nothing')).json).toMatchObject({ code: 'bff.endpoint_not_found' });
    const other = await node.call('DELETE', '/bff/plain', anonymous);
    expect([other.status, other.json, other.headers.get('allow')]).toMatchObject([
      405,
      { code: 'bff.method_not_allowed' },
      'GET',
    ]);
  });
});

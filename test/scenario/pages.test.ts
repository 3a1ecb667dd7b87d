/**
 * CORS of the services over HTTP to a real node, on both servers of the door. It proves docs/contract/platform.md §3.4: each test names the
 * sentence that it shows. What a browser makes of it: pages-browser.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import { untilWhole, type Answer, type Headers } from '#test/kit/test-node.ts';

const APP = 'https://app.example';
const EVIL = 'https://evil.example';
const POSITION = 'X-Customer, X-Env, X-Product, X-Request-Id, X-Tenant';

/** What an answer says to browsers. */
function corsOf({ headers }: Answer): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')));
}

describe.each(['uws', 'node'] as const)('pages of other origins, on the %s door', (door) => {
  const on = useDataNode({
    door,
    cors: `{ shop: { origins: ["${APP}"] } }`,
    rates: '  auth_login: { burst: 1, per_second: 0.001 }',
    extra: 'audit: { enabled: true, name: audit.example }',
  });
  const from = (origin: string, method: string, path: string, more: Headers = on.bearer, body?: unknown) =>
    on.it.call(method, path, { ...more, Origin: origin }, body);
  const preflight = (origin: string, path: string, method = 'POST') =>
    from(origin, 'OPTIONS', path, { 'Access-Control-Request-Method': method });
  const allowed = (expose: string) => ({
    'access-control-allow-origin': APP,
    'access-control-expose-headers': expose,
    vary: 'Origin',
  });

  test('an answer has the origin of the request, and names its headers', async () => {
    const made = await from(APP, 'POST', '/data/rest/item', on.bearer, { name: door, price: 1 });
    expect([made.status, corsOf(made)]).toEqual([201, allowed('ETag, X-Request-Id')]);
    const listed = await from(APP, 'GET', '/data/rest/item?limit=1');
    expect([listed.status, corsOf(listed)]).toEqual([200, allowed('X-Request-Id')]);
    const log = encodeURIComponent('tenant/acme/shop/dev/main');
    const read = await from(APP, 'GET', `/audit/logs/${log}`, { Authorization: on.bearer['Authorization']! });
    expect([read.status, corsOf(read)]).toEqual([403, allowed('X-Request-Id')]);
  });

  test('refusals included', async () => {
    const refused: [number, Promise<Answer>][] = [
      [400, from(APP, 'GET', '/data/rest/item', { ...on.bearer, 'X-Tenant': 'absent' })],
      [403, from(APP, 'GET', '/data/rest/item', { ...on.bearer, 'X-Tenant': 'sleeping' })],
      [401, from(APP, 'GET', '/data/rest/item', { ...on.it.position(), Authorization: 'Bearer x' })],
      [404, from(APP, 'GET', '/data/rest/item/id/01J0000000000000000000000A')],
      [404, from(APP, 'GET', '/store/none/asset')],
      [404, from(APP, 'POST', '/bff/none', on.bearer, {})],
      [422, from(APP, 'POST', '/data/rest/item', on.bearer, {})],
      [413, from(APP, 'POST', '/auth/login', on.it.position(), 'x'.repeat(9 * 1024 * 1024))],
      [405, from(APP, 'PUT', '/auth/token', on.bearer, {})],
    ];
    for (const [status, answering] of refused) {
      const answer = await answering;
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, APP]);
    }
    const logins = [1, 2].map(() =>
      from(APP, 'POST', '/auth/login', on.it.position(), { email: 'a@b.c', password: 'x' }),
    );
    const [, limited] = (await Promise.all(logins)).toSorted((a, b) => a.status - b.status);
    expect(limited!.status).toBe(429);
    expect(corsOf(limited!)).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
    });
  });

  test('of a thread that dies as well', async () => {
    const killed = on.it.node.drill.killHost(0);
    const answers = await Promise.all([1, 2, 3].map(() => from(APP, 'GET', '/data/rest/item?limit=1')));
    for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBe(APP);
    await killed;
    await untilWhole(on.it.node);
  });

  test('a request of another origin is served as before, without these headers', async () => {
    for (const origin of [EVIL, 'null', `${APP}.evil.example`, 'http://app.example', `${APP}:443`]) {
      const answer = await from(origin, 'GET', '/data/rest/item?limit=1');
      expect([answer.status, corsOf(answer)]).toEqual([200, { vary: 'Origin' }]);
    }
    const plain = await on.ask('GET', 'rest/item?limit=1');
    expect([plain.status, corsOf(plain)]).toEqual([200, {}]);
  });

  test('a preflight is answered 204 at the door, with the verbs of the path and the headers that its routes read', async () => {
    const rest = await preflight(APP, '/data/rest/item', 'PUT');
    expect([rest.status, rest.text, rest.headers.get('allow')]).toEqual([
      204,
      '',
      'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ]);
    expect(corsOf(rest)).toEqual({
      'access-control-allow-headers': expect.stringMatching(/^Authorization, Content-Type, .*If-Match, .*X-Tenant$/),
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-origin': APP,
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    const token = await preflight(APP, '/auth/token');
    expect(token.headers.get('access-control-allow-headers')).toBe(`Authorization, ${POSITION}`);
    // Without a position and of a verb that the service would refuse by itself.
    for (const path of ['/data/x/any', '/data/actions/any', '/bff/any', '/store/media/asset', '/audit/logs']) {
      const answer = await preflight(APP, path);
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 204, APP]);
    }
  });

  test('it takes from no bucket', async () => {
    for (let i = 0; i < 5; i++) expect((await preflight(APP, '/auth/login')).status).toBe(204);
  });

  test('to other origins OPTIONS is answered without these', async () => {
    for (const origin of [EVIL, 'null']) {
      const answer = await preflight(origin, '/data/rest/item');
      expect([answer.status, answer.headers.get('allow'), corsOf(answer)]).toEqual([
        204,
        'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
        { vary: 'Origin' },
      ]);
      expect(corsOf(await preflight(origin, '/data/x/any'))).toEqual({ vary: 'Origin' });
    }
  });

  test('an answer that caches may keep varies by Origin', async () => {
    const keys = await on.it.call('GET', '/.well-known/jwks.json');
    expect([keys.status, corsOf(keys)]).toEqual([200, { vary: 'Origin' }]);
    const read = await from(APP, 'GET', '/.well-known/jwks.json', {});
    expect(corsOf(read)).toEqual(allowed('X-Request-Id'));
  });

  test("never: operators' routes, the node's own, probes, forms without a list, and paths that nothing routes", async () => {
    for (const path of [
      '/superadmin/registry/tenants',
      '/superadmin/impersonate',
      '/superadmin/node/health',
      '/internal/session/list',
      '/data/superadmin/tenant',
      '/auth/bootstrap',
      '/f/contact',
      '/health',
      '/nowhere',
      '/secret/name',
    ]) {
      expect([path, corsOf(await preflight(APP, path))]).toEqual([path, {}]);
      expect([path, corsOf(await from(APP, 'POST', path, on.bearer, {}))]).toEqual([path, {}]);
    }
    const probe = await on.it.call('GET', '/readyz', { Origin: APP }, undefined, on.it.node.listeners['operations']);
    expect(corsOf(probe)).toEqual({});
    const log = encodeURIComponent('node/platform');
    expect(corsOf(await from(APP, 'GET', `/audit/logs/${log}`, {}))).toEqual({ vary: 'Origin' });
  });

  test('and not at an operator plane', async () => {
    const plane = { ...on.it.position(), 'X-Tenant': 'superadmin' };
    expect(corsOf(await from(APP, 'POST', '/auth/token', plane))).toEqual({ vary: 'Origin' });
  });

  test('the listener of a service answers alike', async () => {
    const own = on.it.node.listeners['data']!;
    const answer = await on.it.call('GET', '/rest/item?limit=1', { ...on.bearer, Origin: APP }, undefined, own);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, APP]);
  });
});

describe('a node without the key', () => {
  const on = useDataNode();

  test('has no CORS header in any answer', async () => {
    const asks = { Origin: APP, 'Access-Control-Request-Method': 'POST' };
    for (const method of ['GET', 'OPTIONS', 'DELETE'])
      expect(corsOf(await on.it.call(method, '/data/rest/item', { ...on.bearer, ...asks }))).toEqual({});
    expect(corsOf(await on.it.call('GET', '/.well-known/jwks.json', asks))).toEqual({});
  });
});

/**
 * Logins in cookies over HTTP to a real node, on both servers of the door, and what other pages try with them. It proves
 * docs/contract/identity-cookies.md §1.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { askSite, type SiteAnswer } from '#test/kit/site-call.ts';
import type { Headers } from '#test/kit/test-node.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const HOST = 'shop.example';
const OWN = { Origin: `https://${HOST}` };
const ASK = { 'X-Skep-Cookies': '1' };
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const ACCESS = '__Host-skep-access';
const REFRESH = '__Host-skep-refresh';
const codeOf = ({ json }: SiteAnswer): unknown => json?.['code'];

describe.each(['uws', 'node'] as const)('cookies of a site, on the %s door', (door) => {
  const on = useDataNode({
    door,
    cors: '{ shop: { origins: ["https://neighbour.example"] } }',
    sites: `{ ${HOST}: { tenant: "${TENANT}", cookies: true }, other.example: { tenant: "${OTHER_TENANT}", cookies: true }, plain.example: { tenant: "${TENANT}" } }`,
  });
  const ask = (method: string, path: string, headers: Headers = {}, body?: object, host = HOST) =>
    askSite(
      on.it.gateway,
      host,
      method,
      path,
      body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
      body,
    );
  const login = (headers: Headers = { ...OWN, ...ASK }, host = HOST) =>
    ask('POST', '/auth/login', headers, { login: EMAIL, password: PASSWORD }, host);
  const jarOf = ({ cookies }: SiteAnswer): Headers => ({
    Cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; '),
  });
  const part = ({ cookies }: SiteAnswer, name: string): string => cookies.find(([known]) => known === name)![1];
  const list = (headers: Headers, host = HOST) => ask('GET', '/data/rest/item?limit=1', headers, undefined, host);
  const make = (headers: Headers) => ask('POST', '/data/rest/item', headers, { name: `${door} ${made++}` });
  let made = 0;
  let jar: Headers;
  beforeAll(async () => {
    for (const tenant of [TENANT, OTHER_TENANT])
      await on.it.node.ask(tenant, 'identity', 'user.ensure', {
        login: EMAIL,
        password: PASSWORD,
        roles: ['tenant_user'],
      });
    jar = jarOf(await login());
  });

  describe('a login', () => {
    test('that asks for cookies has its tokens there alone', async () => {
      const answer = await login();
      expect([answer.status, answer.json, answer.headers['cache-control']]).toEqual([
        200,
        { expires_in: 900 },
        'no-store',
      ]);
      expect(answer.cookies.map(([name, , attributes]) => [name, attributes])).toEqual([
        [ACCESS, `Max-Age=900; ${ATTRIBUTES}`],
        [REFRESH, `Max-Age=2592000; ${ATTRIBUTES}`],
      ]);
      expect(answer.body).not.toContain(part(answer, ACCESS));
    });

    test('is as ever where it does not ask, at a site without cookies, and at no site', async () => {
      for (const answer of [
        await login(OWN),
        await login({ ...OWN, 'X-Skep-Cookies': 'yes' }),
        await login({ ...OWN, ...ASK }, 'plain.example'),
        await login({ ...OWN, ...ASK, ...on.it.position() }, 'localhost'),
      ]) {
        expect([answer.status, answer.cookies]).toEqual([200, []]);
        expect(answer.json).toHaveProperty('access_token');
      }
    });

    test('is announced where a page may ask for cookies, and nowhere else', async () => {
      const announced = async (host: string, headers: Headers = {}) =>
        (await ask('GET', '/.well-known/skep', headers, undefined, host)).json?.['cookies'];
      expect(await announced(HOST)).toBe(true);
      expect(await announced(HOST, { 'X-Skep-Cookies': '0' })).toBe(true);
      expect(await announced('plain.example', ASK)).toBe(false);
      expect(await announced('localhost', { ...ASK, ...on.it.position() })).toBe(false);
    });

    test('that another page sends into a browser is refused (login CSRF)', async () => {
      for (const from of [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        {},
        { ...OWN, 'Sec-Fetch-Site': 'cross-site' },
      ]) {
        const answer = await login({ ...from, ...ASK } as Headers);
        expect([answer.status, codeOf(answer), answer.cookies]).toEqual([403, 'cross_origin', []]);
      }
      expect((await login({ 'Sec-Fetch-Site': 'same-origin', ...ASK })).status).toBe(200);
    });

    test('that is refused sets no cookie', async () => {
      const answer = await ask('POST', '/auth/login', { ...OWN, ...ASK }, { login: EMAIL, password: 'wrong' });
      expect([answer.status, answer.cookies]).toEqual([401, []]);
    });
  });

  describe('the access cookie', () => {
    test('is the credential of reads and writes, and caches are told so', async () => {
      const read = await list(jar);
      expect([read.status, read.headers['cache-control']]).toEqual([200, 'private']);
      expect((await make({ ...jar, ...OWN })).status).toBe(201);
      expect((await list({})).status).toBe(401);
      expect((await list({ Cookie: `other=1; ${jar['Cookie']!}; more="2"` })).status).toBe(200);
    });

    test('counts at its site alone', async () => {
      expect((await list(jar, 'other.example')).status).toBe(401);
      expect((await list(jar, 'plain.example')).status).toBe(401);
      expect((await list({ ...jar, ...on.it.position() }, 'localhost')).status).toBe(401);
      expect((await list({ ...jar, 'X-Forwarded-Host': HOST }, 'localhost')).status).toBe(400);
      expect((await list({ ...jar, 'X-Tenant': 'other' })).status).toBe(400);
    });

    test('counts for nothing beside another credential', async () => {
      expect((await list({ ...jar, Authorization: 'Bearer x' })).status).toBe(401);
      expect((await list({ ...jar, 'X-Api-Key': 'x' })).status).toBe(401);
      expect((await make({ ...jar, Authorization: on.bearer['Authorization']! })).status).toBe(201);
    });

    test('counts for nothing on the anonymous mirror, at operators’ routes and at the node’s own', async () => {
      const without = async (method: string, path: string, body?: object) => {
        const [bare, shown] = [await ask(method, path, OWN, body), await ask(method, path, { ...OWN, ...jar }, body)];
        expect([path, shown.status, shown.body]).toEqual([path, bare.status, bare.body]);
        return shown.status;
      };
      expect(await without('GET', '/data/anon/rest/item')).toBe(403);
      expect(await without('POST', '/superadmin/impersonate', {})).toBe(401);
      expect(await without('POST', '/internal/session/list', {})).toBe(401);
    });

    test('that is there twice, malformed, or in two headers is none', async () => {
      const [own] = jar['Cookie']!.split('; ');
      for (const cookie of [
        `${own!}; ${own!}`,
        `${own!}; ${ACCESS}=`,
        `${ACCESS}="x"`,
        `${ACCESS}=a b`,
        ACCESS,
        `x${own!}`,
      ])
        expect([cookie, (await list({ Cookie: cookie })).status]).toEqual([cookie, 401]);
      const wire = await Wire.open(Number(new URL(on.it.gateway).port));
      wire.send(`GET /data/rest/item HTTP/1.1\r\nHost: ${HOST}\r\nCookie: ${own!}\r\nCookie: a=1\r\n\r\n`);
      expect((await wire.answer())!.status).toBe(401);
      wire.end();
    });
  });

  describe('another page', () => {
    const FOREIGN: readonly Headers[] = [
      {},
      { Origin: 'https://evil.example' },
      { Origin: 'https://neighbour.example' },
      { Origin: 'https://other.example' },
      { Origin: `http://${HOST}` },
      { Origin: `https://${HOST}.evil.example` },
      { Origin: `https://${HOST}:8443` },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'same-site' },
      { ...OWN, 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'none' },
    ];

    test('changes nothing with the cookie: 403 cross_origin, whatever the verb', async () => {
      const before = (await list(on.bearer)).json?.['count'];
      for (const from of FOREIGN) {
        const answer = await make({ ...jar, ...from });
        expect([from, answer.status, codeOf(answer)]).toEqual([from, 403, 'cross_origin']);
      }
      for (const [method, path] of [
        ['DELETE', '/data/rest/item/id/x'],
        ['PATCH', '/data/rest/item'],
        ['PATCH', '/data/bulk'],
        ['POST', '/auth/apikey'],
        ['POST', '/auth/mfa/totp/setup'],
        ['POST', '/auth/logout'],
      ] as const)
        expect([path, codeOf(await ask(method, path, jar, {}))]).toEqual([path, 'cross_origin']);
      expect((await list(on.bearer)).json?.['count']).toBe(before);
    });

    test('neither embeds nor fetches what the cookie opens, and opens no socket', async () => {
      for (const said of ['same-site', 'cross-site'])
        expect((await list({ ...jar, 'Sec-Fetch-Site': said, 'Sec-Fetch-Mode': 'no-cors' })).status).toBe(403);
      const socket = { Connection: 'Upgrade', Upgrade: 'websocket', Origin: 'https://evil.example' };
      expect((await list({ ...jar, ...socket })).status).toBe(403);
      const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
      expect((await list({ ...jar, ...link })).status).toBe(200);
    });

    test('reads no answer: none allows credentials', async () => {
      const answer = await list({ ...jar, Origin: 'https://neighbour.example' });
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      const asked = { Origin: 'https://neighbour.example', 'Access-Control-Request-Method': 'POST' };
      const preflight = await ask('OPTIONS', '/auth/login', asked);
      expect(preflight.headers['access-control-allow-headers']).not.toMatch(/cookie/i);
    });
  });

  describe('a refresh', () => {
    test('of two tabs at once: both live on, with the same successor', async () => {
      const first = await login();
      const refresh = () => ask('POST', '/auth/refresh', { ...OWN, ...ASK, ...jarOf(first) });
      const answers = await Promise.all([refresh(), refresh(), refresh(), refresh()]);
      expect(answers.map(({ status, json }) => [status, json])).toEqual(answers.map(() => [200, { expires_in: 900 }]));
      expect(new Set(answers.map((answer) => part(answer, REFRESH))).size).toBe(1);
      for (const answer of answers) expect((await list(jarOf(answer))).status).toBe(200);
      const later = await ask('POST', '/auth/refresh', { ...OWN, ...ASK, ...jarOf(answers.at(-1)!) });
      expect(later.status).toBe(200);
      const old = await ask('POST', '/auth/refresh', { ...OWN, ...ASK, ...jarOf(first) });
      expect([old.status, codeOf(old), old.cookies]).toEqual([401, 'refresh_reused', []]);
    });

    test('is refused from another page, and burns no token', async () => {
      const first = await login();
      const evil = await ask('POST', '/auth/refresh', { ...ASK, ...jarOf(first), Origin: 'https://evil.example' });
      expect([evil.status, codeOf(evil), evil.cookies]).toEqual([403, 'cross_origin', []]);
      expect((await ask('POST', '/auth/refresh', { ...OWN, ...ASK, ...jarOf(first) })).status).toBe(200);
    });

    test('reads the cookie only where it asks for cookies', async () => {
      const first = await login();
      const answer = await ask('POST', '/auth/refresh', { ...OWN, ...jarOf(first) }, {});
      expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
      const other = await ask('POST', '/auth/refresh', { ...OWN, ...ASK, ...jarOf(first) }, undefined, 'plain.example');
      expect(other.status).toBe(400);
    });

    test('with the cookie of another tenant’s site is none', async () => {
      const first = await login();
      const own = { Origin: 'https://other.example', ...ASK, ...jarOf(first) };
      const answer = await ask('POST', '/auth/refresh', own, undefined, 'other.example');
      expect([answer.status, codeOf(answer)]).toEqual([401, 'invalid_refresh_token']);
    });
  });

  test('the callback of a link has them as its credential, with and without the header, from a page of the site alone', async () => {
    const finish = (headers: Headers) =>
      ask('POST', '/auth/me/oauth/corp/callback', headers, { code: 'c', state: 's' });
    expect(codeOf(await finish(OWN))).toBe('auth_required');
    expect(codeOf(await finish({ ...OWN, ...ASK }))).toBe('auth_required');
    for (const headers of [OWN, { ...OWN, ...ASK }])
      expect(codeOf(await finish({ ...headers, ...jar }))).toBe('no_accounts');
    expect(codeOf(await finish({ Origin: 'https://other.example', ...jar }))).toBe('cross_origin');
  });

  test('a logout ends the login and takes the cookies away', async () => {
    const first = await login();
    const out = await ask('POST', '/auth/logout', { ...OWN, ...jarOf(first) });
    expect([out.status, out.json]).toEqual([200, { ok: true }]);
    expect(out.cookies).toEqual([ACCESS, REFRESH].map((name) => [name, '', `Max-Age=0; ${ATTRIBUTES}`]));
    const again = await ask('POST', '/auth/refresh', { ...OWN, ...ASK, ...jarOf(first) });
    expect([again.status, codeOf(again)]).toEqual([401, 'invalid_refresh_token']);
  });

  test('a login over an older one keeps nothing of it: the tokens are new (session fixation)', async () => {
    const old = await login();
    const next = await login({ ...OWN, ...ASK, ...jarOf(old) });
    expect(part(next, REFRESH)).not.toBe(part(old, REFRESH));
    expect(part(next, REFRESH).split('.')[0]).not.toBe(part(old, REFRESH).split('.')[0]);
  });
});

/** Logins of the console that go on by a cookie of their own address: docs/contract/console.md §4.1. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const ROOT = { login: 'root@example.org', password: 'a long enough password' };
const PLANE = positionHeaders(CONTROL_PLANE);

let it: TestNode;
let base: string;
beforeAll(async () => {
  it = await startTestNode({ listeners: '  console: { bind: 127.0.0.1:0, tenants: true }\n' });
  base = it.node.listeners['console']!;
  await it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...ROOT, roles: ['superadmin'] });
  await it.node.ask(TENANT, 'identity', 'user.ensure', { ...ROOT, roles: ['tenant_admin'] });
});
afterAll(() => it.stop());

const newId = (): string => randomBytes(16).toString('base64url');
const page = (scheme = 'http:'): Headers => ({
  Origin: base.replace('http:', scheme),
  'Sec-Fetch-Site': 'same-origin',
});

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}

const tokensOf = ({ json }: Answer): Tokens => json;

/** The cookie of an answer, as a browser shows it. */
const cookieOf = ({ headers }: Answer): string => headers.getSetCookie()[0]!.split(';')[0]!;

async function begin(id: string, at: Headers = PLANE, more: Headers = page()): Promise<Answer> {
  return call(base, 'POST', '/auth/login', { ...at, ...more, 'X-Skep-Cookies': id }, ROOT);
}

const goOn = (id: string, cookie: string, { at = PLANE, more = page(), method = 'POST' } = {}): Promise<Answer> =>
  call(base, method, `/console/session/${id}`, { ...at, ...more, Cookie: cookie });

const statusOf = async (token: string): Promise<number> =>
  (await call(base, 'GET', '/superadmin/node/health', { ...PLANE, Authorization: `Bearer ${token}` })).status;

describe('a login in a cookie', () => {
  test('has its refresh token at its own address alone, and goes on there', async () => {
    const id = newId();
    const begun = await begin(id);
    expect([begun.status, begun.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(tokensOf(begun).refresh_token).toBeUndefined();
    expect(await statusOf(tokensOf(begun).access_token)).toBe(200);
    const [line, ...others] = begun.headers.getSetCookie();
    expect(others).toEqual([]);
    const [shown, ...attributes] = line!.split('; ');
    expect(shown).toMatch(/^skep-login=[A-Za-z0-9._-]{20,}$/);
    expect(attributes).toEqual([`Path=/console/session/${id}`, 'HttpOnly', 'SameSite=Strict']);
    const next = await goOn(id, cookieOf(begun));
    expect(next.status).toBe(200);
    expect(Object.keys(tokensOf(next))).not.toContain('refresh_token');
    expect(await statusOf(tokensOf(next).access_token)).toBe(200);
    // Each renewal gives another cookie, and that one goes on.
    expect(cookieOf(next)).not.toBe(cookieOf(begun));
    expect((await goOn(id, cookieOf(next))).status).toBe(200);
  });

  test('is Secure for a page that came by TLS, also where a proxy ended it', async () => {
    const id = newId();
    const begun = await begin(id, PLANE, page('https:'));
    const [line] = begun.headers.getSetCookie();
    expect(line).toMatch(/^__Secure-skep-login=/);
    expect(line!.split('; ').slice(1)).toEqual([
      `Path=/console/session/${id}`,
      'HttpOnly',
      'SameSite=Strict',
      'Secure',
    ]);
    expect((await goOn(id, cookieOf(begun), { more: page('https:') })).status).toBe(200);
    // The page of the other scheme has another cookie.
    expect((await goOn(id, cookieOf(begun))).status).toBe(401);
  });

  test('ends, with its cookie', async () => {
    const id = newId();
    const begun = await begin(id);
    const over = await goOn(id, cookieOf(begun), { method: 'DELETE' });
    expect([over.status, over.json]).toEqual([200, { ok: true }]);
    expect(over.headers.getSetCookie()).toEqual([
      `skep-login=; Max-Age=0; Path=/console/session/${id}; HttpOnly; SameSite=Strict`,
    ]);
    expect((await goOn(id, cookieOf(begun))).status).toBe(401);
  });

  test('is of one place: the cookie of a tenant opens no control plane, nor the other way about', async () => {
    const id = newId();
    const own = await begin(id, it.position());
    expect(own.status).toBe(200);
    expect((await goOn(id, cookieOf(own))).status).toBe(401);
    const planes = await begin(id);
    expect((await goOn(id, cookieOf(planes), { at: it.position() })).status).toBe(401);
    // Each still goes on where it belongs.
    expect((await goOn(id, cookieOf(own), { at: it.position() })).status).toBe(200);
    expect((await goOn(id, cookieOf(planes))).status).toBe(200);
  });

  test('counts for pages of this origin alone', async () => {
    const id = newId();
    const cookie = cookieOf(await begin(id));
    for (const more of [
      {},
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { ...page(), 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'http://127.0.0.1:1' },
    ] as Headers[])
      for (const method of ['POST', 'DELETE'])
        expect([more, method, (await goOn(id, cookie, { more, method })).status]).toEqual([more, method, 403]);
    expect((await goOn(id, cookie)).status).toBe(200);
  });

  test('is no credential elsewhere: not of another route, nor as a bearer, nor beside one', async () => {
    const id = newId();
    const cookie = cookieOf(await begin(id));
    const token = cookie.slice(cookie.indexOf('=') + 1);
    const ask = (method: string, path: string, more: Headers) =>
      call(base, method, path, { ...PLANE, ...page(), ...more });
    expect((await ask('GET', '/superadmin/node/health', { Cookie: cookie })).status).toBe(401);
    expect((await ask('POST', '/auth/refresh', { Cookie: cookie, 'X-Skep-Cookies': id })).status).toBe(401);
    expect((await goOn(id, `${cookie}; ${cookie}`)).status).toBe(401);
    expect((await goOn(id, '', { more: { ...page(), Authorization: `Bearer ${token}` } })).status).toBe(401);
    expect((await goOn(id, cookie)).status).toBe(200);
  });
});

describe('the header', () => {
  test('means nothing with another value, without the origin of a page, and at the gateway', async () => {
    const id = newId();
    const answers = [
      await begin('1'),
      await begin(`${id}x`),
      await begin(id, PLANE, {}),
      await call(it.gateway, 'POST', '/auth/login', { ...PLANE, ...page(), 'X-Skep-Cookies': id }, ROOT),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
      expect(tokensOf(answer).refresh_token).toBeTypeOf('string');
    }
  });

  test('sets no cookie where the log in is refused', async () => {
    const wrong = await call(
      base,
      'POST',
      '/auth/login',
      { ...PLANE, ...page(), 'X-Skep-Cookies': newId() },
      {
        ...ROOT,
        password: 'another one that is long',
      },
    );
    expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, []]);
  });
});

test('the address of a cookie has no other verb and no other form', async () => {
  const id = newId();
  expect((await goOn(id, '', { method: 'PUT' })).status).toBe(405);
  expect((await goOn(`${id}x`, '')).status).toBe(405);
  expect((await goOn(`${id}/`, '')).status).toBe(405);
  expect((await call(it.gateway, 'POST', `/console/session/${id}`, { ...PLANE, ...page() })).status).toBe(404);
});

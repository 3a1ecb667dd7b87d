/** The console's listener of a real node: which routes it has, what it has not, and login links. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { isForConsole } from '#runtime/console/console-routes.ts';
import { ACCESS_COOKIE_NAME } from '#actors/protocol/cookies.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, type TestNode } from '#test/kit/test-node.ts';

const ROOT = { login: 'root@example.org', password: 'a long enough password' };
const PLANE = positionHeaders(CONTROL_PLANE);
const SANDBOX = "default-src 'none'; frame-ancestors 'none'; sandbox";

let it: TestNode;
let base: string;
beforeAll(async () => {
  it = await startTestNode({
    listeners: '  console: { bind: 127.0.0.1:0 }\n',
    cors: '{ shop: { origins: ["https://app.example.org"] } }',
    sites: `{ localhost: { tenant: "${TENANT}", cookies: true, web: true } }`,
  });
  base = it.node.listeners['console']!;
  await it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...ROOT, roles: ['superadmin'] });
});
afterAll(() => it.stop());

const here = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  call(base, method, path, headers, body);

async function login(): Promise<string> {
  const { json } = await here('POST', '/auth/login', PLANE, ROOT);
  return (json as { access_token: string }).access_token;
}

describe('routes', () => {
  test('an operator logs in, sees the node, renews and logs out; no answer is a page', async () => {
    const logged = await here('POST', '/auth/login', PLANE, ROOT);
    expect([logged.status, logged.headers.get('content-security-policy')]).toEqual([200, SANDBOX]);
    const { access_token, refresh_token } = logged.json as { access_token: string; refresh_token: string };
    const headers = { ...PLANE, Authorization: `Bearer ${access_token}` };
    for (const part of [
      'backups',
      'buckets',
      'cluster',
      'figures',
      'vault',
      'health',
      'configuration',
      'load',
      'slow',
      'logs',
    ]) {
      const shown = await here('GET', `/superadmin/node/${part}`, headers);
      expect([part, shown.status, shown.headers.get('content-security-policy')]).toEqual([part, 200, SANDBOX]);
      expect(shown.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await here('POST', '/auth/refresh', PLANE, { refresh_token })).status).toBe(200);
    expect((await here('GET', '/superadmin/node/health', PLANE)).status).toBe(401);
  });

  test('every other route of the node is not there, for any caller', async () => {
    const headers = { ...it.position(), ...(await it.service()) };
    const nameOf = (row: CompiledRoute['row']) => `${row.methods[0]} ${row.path}`;
    const served = new Set<string>();
    for (const { row } of compileRoutes(it.platform).filter((route) => isForConsole(route, true)))
      served.add(nameOf(row));
    expect([...served].toSorted()).toEqual([
      'DELETE /auth/admin/invitations/{id}',
      'DELETE /auth/admin/keys/{id}',
      'DELETE /auth/admin/users/{id}/sessions',
      'DELETE /auth/admin/users/{id}/sessions/{session}',
      'DELETE /auth/me/sessions/{id}',
      'DELETE /content/{app}/{type}/{id}',
      'DELETE /data/admin/data/locks/{resource}',
      'DELETE /data/rest/{entity}/id/{id}',
      'DELETE /store/{name}/asset/{id}',
      'DELETE /store/{name}/folder/{id}',
      'DELETE /store/{name}/upload/{id}',
      'DELETE /superadmin/registry/tenants/{key}/locks/{resource}',
      'GET /audit/logs',
      'GET /audit/logs/{id}',
      'GET /audit/logs/{id}/cosigned',
      'GET /audit/logs/{id}/proof/inclusion',
      'GET /audit/logs/{id}/records',
      'GET /auth/admin/invitations',
      'GET /auth/admin/keys',
      'GET /auth/admin/roles',
      'GET /auth/admin/users',
      'GET /auth/admin/users/{id}',
      'GET /auth/admin/users/{id}/sessions',
      'GET /auth/me',
      'GET /auth/me/sessions',
      'GET /content/-/apps',
      'GET /content/-/apps/{app}/{type}',
      'GET /content/-/deliveries',
      'GET /content/{app}/{type}',
      'GET /content/{app}/{type}/{id}',
      'GET /content/{app}/{type}/{id}/versions',
      'GET /data/actions/{name}',
      'GET /data/admin/data/locks',
      'GET /data/admin/data/retention/entities',
      'GET /data/admin/data/retention/preview',
      'GET /data/admin/data/seeds',
      'GET /data/admin/data/submissions',
      'GET /data/admin/data/submissions/export',
      'GET /data/admin/data/triggers',
      'GET /data/admin/data/triggers/events',
      'GET /data/changes',
      'GET /data/contentstore/list',
      'GET /data/rest/{entity}',
      'GET /data/rest/{entity}/id/{id}',
      'GET /data/schema',
      'GET /data/schema/entities',
      'GET /data/schema/entities/{entity}',
      'GET /data/schema/openapi.json',
      'GET /data/stateflow/{name}',
      'GET /data/stateflows',
      'GET /data/x/{path*}',
      'GET /store/{name}/asset',
      'GET /store/{name}/asset/{id}',
      'GET /store/{name}/asset/{id}/image/{size}',
      'GET /store/{name}/folder',
      'GET /store/{name}/upload/{id}',
      'GET /superadmin/node/backups',
      'GET /superadmin/node/buckets',
      'GET /superadmin/node/cluster',
      'GET /superadmin/node/configuration',
      'GET /superadmin/node/figures',
      'GET /superadmin/node/health',
      'GET /superadmin/node/load',
      'GET /superadmin/node/logs',
      'GET /superadmin/node/slow',
      'GET /superadmin/node/tenants',
      'GET /superadmin/node/vault',
      'GET /superadmin/registry/tenants/{key}/locks',
      'GET /superadmin/registry/tenants/{key}/plans/{id}',
      'GET /superadmin/registry/tenants/{key}/retention/entities',
      'GET /superadmin/registry/tenants/{key}/retention/preview',
      'GET /superadmin/registry/tenants/{key}/seeds',
      'PATCH /auth/admin/users/{id}',
      'PATCH /auth/me',
      'PATCH /content/{app}/{type}/{id}',
      'PATCH /store/{name}/asset/{id}',
      'PATCH /store/{name}/upload/{id}',
      'POST /auth/admin/invitations',
      'POST /auth/admin/keys',
      'POST /auth/admin/users',
      'POST /auth/login',
      'POST /auth/logout',
      'POST /auth/refresh',
      'POST /auth/webauthn/login/begin',
      'POST /auth/webauthn/login/finish',
      'POST /content/-/deliveries/{id}/redeliver',
      'POST /content/{app}/preview',
      'POST /content/{app}/{type}',
      'POST /data/actions/{name}',
      'POST /data/admin/data/actions/{name}/explain',
      'POST /data/admin/data/explain',
      'POST /data/admin/data/retention/runs',
      'POST /data/admin/data/seeds/runs',
      'POST /data/admin/data/triggers/events/{id}/retry',
      'POST /data/bulk',
      'POST /data/graphql',
      'POST /data/rest/{entity}',
      'POST /data/rest/{entity}/action/{action}',
      'POST /data/rest/{entity}/id/{id}/restore',
      'POST /data/rest/{entity}/search',
      'POST /store/{name}/folder',
      'POST /store/{name}/upload',
      'POST /superadmin/impersonate',
      'POST /superadmin/registry/tenants',
      'POST /superadmin/registry/tenants/{key}/plans',
      'POST /superadmin/registry/tenants/{key}/plans/{id}/apply',
      'POST /superadmin/registry/tenants/{key}/provision',
      'POST /superadmin/registry/tenants/{key}/retention/runs',
      'POST /superadmin/registry/tenants/{key}/seeds/runs',
      'PUT /data/rest/{entity}/id/{id}',
    ]);
    const ofOperators = compileRoutes(it.platform).filter((route) => isForConsole(route, false));
    expect(
      ofOperators.map(({ row }) => row.path).filter((path) => /^\/(?:data|store|content|auth\/admin)\//.test(path)),
    ).toEqual([]);
    // A path of which another verb is served says so (405), also where it is one with a parameter: `import` looks like the id of a user.
    const paths = [...served].map((name) => name.slice(name.indexOf(' ') + 1));
    const patterns = paths.map((path) => new RegExp(`^${path.replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`));
    const missed: string[] = [];
    for (const { row } of compileRoutes(it.platform)) {
      if (served.has(nameOf(row))) continue;
      const path = row.path.replaceAll(/\{[a-z_]+\*?\}/g, 'x');
      const { status } = await here(row.methods[0], path, headers);
      if (status !== 404 && !(status === 405 && patterns.some((pattern) => pattern.test(path))))
        missed.push(`${row.methods[0]} ${path}: ${status}`);
    }
    expect(missed).toEqual([]);
  });

  test('nothing that a tenant has written: no page of a site, no probe of the gateway, no cookie as a credential, no page of another origin', async () => {
    for (const path of [
      '/index.html',
      '/app.js',
      '/health',
      '/ready',
      '/metrics',
      '/mails',
      '/f/contact',
      '/data/graphql/live',
    ])
      expect([path, (await here('GET', path, it.position())).status]).toEqual([path, 404]);
    const token = await login();
    // The listener has the name of a site of the gateway, which is a tenant there and nothing here.
    const site = base.replace('127.0.0.1', 'localhost');
    const cookies = { Cookie: `${ACCESS_COOKIE_NAME}=${token}`, 'Sec-Fetch-Site': 'same-origin' };
    expect((await call(site, 'GET', '/superadmin/node/health', { ...PLANE, ...cookies })).status).toBe(401);
    const asked = await call(site, 'POST', '/auth/login', { ...PLANE, 'X-Skep-Cookies': '1' }, ROOT);
    expect([asked.status, asked.headers.getSetCookie()]).toEqual([200, []]);
    const origin = { ...PLANE, Origin: 'https://app.example.org' };
    const preflight = await here('OPTIONS', '/superadmin/node/health', {
      ...origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('the pages are there in whatever state the build is', async () => {
    expect([200, 503]).toContain((await here('GET', '/console/')).status);
    expect((await call(it.gateway, 'GET', '/console/', it.position())).status).toBe(404);
  });
});

describe('a login link', () => {
  const enter = (code: unknown) => here('POST', '/console/login', {}, { code });
  const codeOf = (link: string) => /^(http:.*\/console\/)#login=(.{43})$/.exec(link)!;

  test('logs its person in once, as a log in does', async () => {
    const [, address, code] = codeOf(it.node.consoleLink({ [CONTROL_PLANE]: ROOT })!);
    expect(address).toBe(`${base}/console/`);
    const entered = await enter(code);
    expect([entered.status, entered.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { access_token } = entered.json as { access_token: string };
    const seen = await here('GET', '/superadmin/node/health', { ...PLANE, Authorization: `Bearer ${access_token}` });
    expect(seen.status).toBe(200);
    const again = await enter(code);
    expect([again.status, (again.json as { code: string }).code]).toEqual([401, 'invalid_credentials']);
  });

  test('whose code is none is a wrong password, whatever else the request shows', async () => {
    const shown = { ...PLANE, Authorization: `Bearer ${await login()}`, 'X-Skep-Cookies': '1' };
    for (const body of [
      { code: 'x' },
      { code: 1 },
      {},
      { login: ROOT.login, password: ROOT.password },
      'no json',
      'null',
    ]) {
      const { status } = await here('POST', '/console/login', shown, body);
      expect([body, status]).toEqual([body, 401]);
    }
    const { headers } = await enter('x');
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('is used up by one of two at once', async () => {
    const [, , code] = codeOf(it.node.consoleLink({ [CONTROL_PLANE]: ROOT })!);
    const statuses = await Promise.all([enter(code), enter(code), enter(code)].map(async (one) => (await one).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  test('with too long a body costs nothing of the link', async () => {
    const [, , code] = codeOf(it.node.consoleLink({ [CONTROL_PLANE]: ROOT })!);
    expect((await here('POST', '/console/login', {}, { code, more: 'x'.repeat(2 * 1024 * 1024) })).status).toBe(413);
    expect((await enter(code)).status).toBe(200);
  });
});

test('without the setting there is no listener, and no link', async () => {
  const closed = await startTestNode();
  try {
    expect(closed.node.listeners['console']).toBeUndefined();
    expect(closed.node.consoleLink({ [CONTROL_PLANE]: ROOT })).toBeNull();
  } finally {
    await closed.stop();
  }
});

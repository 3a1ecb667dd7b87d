/** Tokens that say what is over: of a tenant that was deleted and made anew under its key, of a user who lost a role. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeManagedProduct } from '#test/kit/managed-product.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const LOGIN = 'ann@example.org';
const PASSWORD = 'correct horse battery';
const CONTROL = 'superadmin:superadmin:superadmin:superadmin';

let it: TestNode;
const dir = mkdtempSync(join(tmpdir(), 'skep-managed-'));
beforeAll(async () => {
  const localdir = writeManagedProduct(dir, 'sessions: { mode: managed }');
  it = await startTestNode({ localdir, extra: 'audit: { enabled: true }' });
}, 60_000);
afterAll(async () => {
  await it.stop();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (tenant: string, verb: string, body: object): Promise<unknown> =>
  it.node.ask(tenant, 'identity', verb, body);
const login = (tenant: string): Promise<Answer> =>
  it.call('POST', '/auth/login', positionHeaders(tenant), { login: LOGIN, password: PASSWORD });
const tokensOf = ({ json }: Answer): { access_token: string; refresh_token: string } => json;

async function admin(tenant: string): Promise<Headers> {
  await ask(tenant, 'person.ensure', { email: LOGIN, password: PASSWORD, roles: ['tenant_admin', 'tenant_user'] });
  return { ...positionHeaders(tenant), Authorization: `Bearer ${tokensOf(await login(tenant)).access_token}` };
}

async function service(home: string, scope: string, at: string): Promise<Headers> {
  const { key } = (await ask(home, 'key.issue', { capabilities: { scope: [scope] } })) as { key: string };
  const headers = { ...positionHeaders(home), Authorization: `ApiKey ${key}` };
  const { token } = (await it.call('POST', '/auth/token', headers)).json as { token: string };
  return { ...positionHeaders(at), Authorization: `Bearer ${token}` };
}

/** What each service says to a caller. */
async function statuses(headers: Headers): Promise<Record<string, number>> {
  const status = async (method: string, path: string, body?: object): Promise<number> =>
    (await it.call(method, path, headers, body)).status;
  return {
    data: await status('GET', '/data/rest/item'),
    identity: await status('POST', '/auth/apikey', {}),
    bff: await status('GET', '/bff/list'),
    content: await status('GET', '/store/none/asset'),
  };
}

const logOf = (tenant: string): string => `/audit/logs/${encodeURIComponent(`tenant/${tenant.replaceAll(':', '/')}`)}`;

test('a tenant that is made anew takes no token of the one that had its key: user, service, on every service', async () => {
  const bearer = await admin(OTHER_TENANT);
  const own = await service(OTHER_TENANT, 'acme:dev:shop:other', OTHER_TENANT);
  const wide = await service(CONTROL, '*:*:*:*', OTHER_TENANT);
  const served = { data: 200, identity: 201, bff: 200, content: 404 };
  for (const headers of [bearer, own, wide]) expect(await statuses(headers)).toEqual(served);
  expect((await it.call('GET', logOf(OTHER_TENANT), bearer)).status).toBe(200);

  await it.node.copies.delete({ tenant: OTHER_TENANT, confirm: OTHER_TENANT });
  await it.node.provision(OTHER_TENANT);
  const refused = { data: 401, identity: 401, bff: 401, content: 401 };
  for (const headers of [bearer, own]) expect(await statuses(headers)).toEqual(refused);
  expect((await it.call('GET', logOf(OTHER_TENANT), bearer)).status).toBe(401);
  expect(await statuses(wide)).toEqual(served);
  expect(await statuses(await admin(OTHER_TENANT))).toEqual(served);
});

test('a user who loses a role loses the sessions that name it, at once; a user who gains one keeps them', async () => {
  const bearer = await admin(TENANT);
  const { refresh_token } = tokensOf(await login(TENANT));
  const list = (): Promise<Answer> => it.call('POST', '/internal/session/list', bearer, {});
  await ask(TENANT, 'user.set', { user: LOGIN, roles: ['tenant_admin', 'tenant_user', 'editor'] });
  expect((await list()).status).toBe(200);
  await ask(TENANT, 'user.set', { user: LOGIN, roles: ['tenant_user', 'editor'] });
  expect((await list()).status).toBe(401);
  expect((await it.call('GET', '/data/rest/item', bearer)).status).toBe(401);
  expect((await it.call('POST', '/auth/refresh', positionHeaders(TENANT), { refresh_token })).status).toBe(401);
  const again = tokensOf(await login(TENANT)).access_token;
  const shown = await it.call('POST', '/internal/session/list', { ...bearer, Authorization: `Bearer ${again}` }, {});
  const { sessions } = shown.json as { sessions: { reason: string | null }[] };
  expect(sessions.filter(({ reason }) => reason === 'demoted')).toHaveLength(2);
});

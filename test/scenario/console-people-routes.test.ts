/** People of a tenant on the console's listener of a real node: which administrator gets them, and what is not there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, type Answer, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'another long password';
const ADMIN = { login: 'ada@example.org', password: PASSWORD };
const EVA = { login: 'eva@example.org', password: PASSWORD };
const OPERATOR = { login: 'root@example.org', password: PASSWORD };
const HERE = positionHeaders(TENANT);
const SANDBOX = "default-src 'none'; frame-ancestors 'none'; sandbox";

const codeOf = ({ status, json }: Answer) => [status, (json as { code?: string } | undefined)?.code];

describe('people', () => {
  let it: TestNode;
  let base: string;
  beforeAll(async () => {
    it = await startTestNode({ listeners: '  console: { bind: 127.0.0.1:0 }\n' });
    base = it.node.listeners['console']!;
    await it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...OPERATOR, roles: ['superadmin'] });
    await it.node.ask(TENANT, 'identity', 'user.ensure', { ...ADMIN, roles: ['tenant_admin'] });
    await it.node.ask(TENANT, 'identity', 'user.ensure', { ...EVA, roles: ['tenant_user'] });
  });
  afterAll(() => it.stop());

  const here = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    call(base, method, path, headers, body);
  async function bearer(place: Record<string, string>, person: object): Promise<Record<string, string>> {
    const { json } = await here('POST', '/auth/login', place, person);
    return { ...place, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
  }
  const idOf = async (headers: Record<string, string>, login: string): Promise<string> => {
    const { json } = await here('GET', `/auth/admin/users?q=${login}`, headers);
    return (json as { users: { id: string }[] }).users[0]!.id;
  };

  test('are an administrator’s to find and change, as on the gateway', async () => {
    const headers = await bearer(HERE, ADMIN);
    const listed = await here('GET', '/auth/admin/users', headers);
    expect([listed.status, listed.headers.get('content-security-policy')]).toEqual([200, SANDBOX]);
    expect(listed.text).toBe((await it.call('GET', '/auth/admin/users', headers)).text);
    const user = `/auth/admin/users/${await idOf(headers, EVA.login)}`;
    expect((await here('PATCH', user, headers, { roles: ['tenant_viewer'] })).status).toBe(200);
    expect((await here('GET', user, headers)).json).toHaveProperty('roles', ['tenant_viewer']);
    expect((await here('GET', `${user}/sessions`, headers)).status).toBe(200);
    expect((await here('DELETE', `${user}/sessions`, headers)).status).toBe(200);
    expect(codeOf(await here('DELETE', `${user}/sessions/x`, headers))).toEqual([404, 'session_not_found']);
    expect(codeOf(await here('GET', '/auth/admin/invitations', headers))).toEqual([404, 'no_accounts']);
  });

  test('are for no other person, and for no bearer of another place', async () => {
    const eva = await bearer(HERE, EVA);
    expect(codeOf(await here('GET', '/auth/admin/users', eva))).toEqual([403, 'requires_tenant_admin']);
    const root = await bearer(positionHeaders(CONTROL_PLANE), OPERATOR);
    const ada = await bearer(HERE, ADMIN);
    expect((await here('GET', '/auth/admin/users', { ...root, ...HERE })).status).toBe(401);
    expect((await here('GET', '/auth/admin/users', { ...ada, ...positionHeaders(OTHER_TENANT) })).status).toBe(401);
    expect((await here('GET', '/auth/admin/users', HERE)).status).toBe(401);
    for (const [method, path] of [
      ['GET', '/auth/admin/users'],
      ['PATCH', '/auth/admin/users/x'],
      ['DELETE', '/auth/admin/users/x/sessions'],
      ['POST', '/auth/admin/users'],
      ['POST', '/auth/admin/keys'],
      ['DELETE', '/auth/admin/keys/x'],
      ['POST', '/auth/admin/invitations'],
    ] as const) {
      const { status } = await here(method, path, { ...ada, 'Sec-Fetch-Site': 'cross-site' });
      expect([path, status]).toEqual([path, 403]);
    }
  });

  test('are added by an administrator, who makes and revokes keys of programs: the key itself is in one answer alone', async () => {
    const headers = await bearer(HERE, ADMIN);
    const added = await here('POST', '/auth/admin/users', headers, {
      email: 'olga@example.org',
      roles: ['tenant_user'],
    });
    expect(added.status, added.text).toBe(201);
    const made = await here('POST', '/auth/admin/keys', headers, {
      name: 'report',
      capabilities: { roles: ['tenant_viewer'] },
    });
    expect([made.status, made.headers.get('content-security-policy')]).toEqual([201, SANDBOX]);
    const { id, key } = made.json as { id: string; key: string };
    const listed = await here('GET', '/auth/admin/keys', headers);
    expect([listed.status, listed.text.includes(id), listed.text.includes(key)]).toEqual([200, true, false]);
    const eva = await bearer(HERE, EVA);
    expect(codeOf(await here('GET', '/auth/admin/keys', eva))).toEqual([403, 'requires_tenant_admin']);
    expect(codeOf(await here('POST', '/auth/admin/users', eva, {}))).toEqual([403, 'requires_tenant_admin']);
    expect((await here('DELETE', `/auth/admin/keys/${id}`, headers)).status).toBe(200);
    expect(codeOf(await here('DELETE', `/auth/admin/keys/${id}`, headers))).toEqual([404, 'unknown_key']);
  });

  test('are neither deleted, exported, imported nor erased', async () => {
    const headers = await bearer(HERE, ADMIN);
    const user = `/auth/admin/users/${await idOf(headers, EVA.login)}`;
    for (const [method, path, status] of [
      ['DELETE', user, 405],
      ['GET', `${user}/export`, 404],
      ['POST', `${user}/erase`, 404],
      ['POST', `${user}/send-reset`, 404],
      ['POST', `${user}/reset-second-factor`, 404],
      // It looks like the id of a user.
      ['POST', '/auth/admin/users/import', 405],
      ['PATCH', '/auth/admin/keys/x', 405],
      // As does this that of a key.
      ['POST', '/auth/admin/keys/revoke', 405],
    ] as const)
      expect([path, (await here(method, path, headers)).status]).toEqual([path, status]);
  });

  test('are not there where tenants may not log in at the console', async () => {
    const closed = await startTestNode({ listeners: '  console: { bind: 127.0.0.1:0, tenants: false }\n' });
    try {
      await closed.node.ask(TENANT, 'identity', 'user.ensure', { ...ADMIN, roles: ['tenant_admin'] });
      const { json } = await closed.call('POST', '/auth/login', HERE, ADMIN);
      const headers = { ...HERE, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
      expect((await closed.call('GET', '/auth/admin/users', headers)).status).toBe(200);
      const at = closed.node.listeners['console']!;
      expect((await call(at, 'GET', '/auth/admin/users', headers)).status).toBe(404);
    } finally {
      await closed.stop();
    }
  });
});

/** An administrator over HTTP to a real node: users, and keys that count from some addresses only. Spec: docs/contract/identity-people.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeManagedProduct } from '#test/kit/managed-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';

let dir: string;
let it: TestNode;
let admin: Headers;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-people-'));
  const localdir = writeManagedProduct(dir, 'sessions: { mode: managed }');
  it = await startTestNode({ dir, localdir, rates: '  auth_login: off\n  auth_token: off\n' });
  const boss = { email: 'boss@example.org', password: PASSWORD, roles: ['tenant_admin'] };
  await it.node.ask(TENANT, 'identity', 'person.ensure', boss);
  const { json } = await login(boss.email);
  admin = { ...positionHeaders(TENANT), Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}, 120_000);
afterAll(async () => {
  await it.stop();
  rmSync(dir, { recursive: true, force: true });
});

const login = (name: string): Promise<Answer> =>
  it.call('POST', '/auth/login', positionHeaders(TENANT), { login: name, password: PASSWORD });

test('a user is added, found, disabled and deleted', { timeout: 60_000 }, async () => {
  const made = await it.call('POST', '/auth/admin/users', admin, {
    email: 'zoe@example.org',
    firstname: 'Zoë',
    lastname: 'Quist',
    password: PASSWORD,
    roles: ['night_shift'],
  });
  expect([made.status, made.json]).toMatchObject([201, { email: 'zoe@example.org', roles: ['night_shift'] }]);
  const { id } = made.json as { id: string };
  const found = await it.call('GET', `/auth/admin/users?q=${encodeURIComponent('ZOË Q')}`, admin);
  expect(found.json).toMatchObject({ users: [{ id }], next: null });
  expect((await login('zoe@example.org')).status).toBe(200);
  expect((await it.call('GET', `/auth/admin/users/${id}`, admin)).json).toMatchObject({ id, second_factor: false });
  expect((await it.call('PATCH', `/auth/admin/users/${id}`, admin, { disabled: true })).status).toBe(200);
  expect((await login('zoe@example.org')).status).toBe(401);
  expect((await it.call('DELETE', `/auth/admin/users/${id}`, admin)).status).toBe(200);
  expect((await it.call('GET', `/auth/admin/users/${id}`, admin)).status).toBe(404);
});

test(
  'the roles of the product with what they are given; those who have one, alone and beside a name',
  { timeout: 60_000 },
  async () => {
    const add = (name: string, roles: readonly string[]) =>
      it.call('POST', '/auth/admin/users', admin, { email: `${name}@roles.example`, password: PASSWORD, roles });
    for (const [name, roles] of [
      ['rita', ['night_shift']],
      ['ron', ['tenant_viewer']],
      ['rosa', ['tenant_viewer', 'night_shift']],
    ] as const)
      expect((await add(name, roles)).status).toBe(201);
    const emails = async (query: string): Promise<string[]> => {
      const { json, status } = await it.call('GET', `/auth/admin/users?${query}`, admin);
      expect(status).toBe(200);
      return (json as { users: { email: string }[] }).users.map(({ email }) => email).toSorted();
    };
    expect(await emails('role=night_shift')).toEqual(['rita@roles.example', 'rosa@roles.example']);
    expect(await emails('role=night_shift&q=ro')).toEqual(['rosa@roles.example']);
    expect(await emails('role=none')).toEqual([]);
    expect((await it.call('GET', '/auth/admin/users?role=No%20Role', admin)).status).toBe(400);
    const { json } = await it.call('GET', '/auth/admin/roles', admin);
    const { roles } = json as { roles: { role: string; origin: string }[] };
    expect(roles.slice(0, 3).map(({ role, origin }) => [role, origin])).toEqual([
      ['tenant_admin', 'platform'],
      ['tenant_user', 'platform'],
      ['tenant_viewer', 'platform'],
    ]);
    const rita = await login('rita@roles.example');
    const hers = {
      ...positionHeaders(TENANT),
      Authorization: `Bearer ${(rita.json as { access_token: string }).access_token}`,
    };
    expect((await it.call('GET', '/auth/admin/roles', hers)).json).toMatchObject({ code: 'requires_tenant_admin' });
    expect((await it.call('GET', '/auth/admin/roles', positionHeaders(TENANT))).status).toBe(401);
  },
);

test('sessions of a user are ended by an administrator, one and all', { timeout: 60_000 }, async () => {
  const made = await it.call('POST', '/auth/admin/users', admin, {
    email: 'max@example.org',
    password: PASSWORD,
    roles: [],
  });
  const sessions = `/auth/admin/users/${(made.json as { id: string }).id}/sessions`;
  for (let i = 0; i < 3; i++) expect((await login('max@example.org')).status).toBe(200);
  const listed = async () => (await it.call('GET', sessions, admin)).json as { sessions: { id: string }[] };
  const [first] = (await listed()).sessions;
  expect(first).toBeDefined();
  expect((await it.call('DELETE', `${sessions}/${first!.id}`, admin)).status).toBe(200);
  expect((await it.call('DELETE', sessions, admin)).json).toEqual({ ended: 2 });
});

test('a key is renamed, revoked by its id, and with others of its subject', { timeout: 60_000 }, async () => {
  const make = async (): Promise<string> => {
    const { json } = await it.call('POST', '/auth/admin/keys', admin, {
      name: 'x',
      capabilities: { roles: ['clerk'] },
    });
    return (json as { id: string }).id;
  };
  const [one, other] = [await make(), await make()];
  expect((await it.call('PATCH', `/auth/admin/keys/${one}`, admin, { name: 'build' })).status).toBe(200);
  expect((await it.call('DELETE', `/auth/admin/keys/${one}`, admin)).status).toBe(200);
  expect((await it.call('POST', '/auth/admin/keys/revoke', admin, { ids: [other] })).status).toBe(200);
});

test('a key counts from its addresses only, without auditing too', { timeout: 60_000 }, async () => {
  const exchange = async (ips: readonly string[]): Promise<[number, string]> => {
    const wish = { name: 'ci', capabilities: { scope: ['acme:dev:shop:main'] }, ips };
    const made = await it.call('POST', '/auth/admin/keys', admin, wish);
    expect(made.status, made.text).toBe(201);
    const { key } = made.json as { key: string };
    const headers = { ...positionHeaders(TENANT), Authorization: `ApiKey ${key}` };
    const { status, text } = await it.call('POST', '/auth/token', headers);
    return [status, status === 200 ? '' : text];
  };
  expect(await exchange(['127.0.0.0/8', '::1'])).toEqual([200, '']);
  const unknown = { ...positionHeaders(TENANT), Authorization: 'ApiKey x' };
  const { text } = await it.call('POST', '/auth/token', unknown);
  expect(await exchange(['203.0.113.0/24'])).toEqual([401, text]);
});

/** The role `superadmin` counts in the plane in which it was given: registry, audit logs, other tenants' admin planes, keys. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const CONTROL = 'superadmin:superadmin:superadmin:superadmin';
const PLANE = 'acme:shop:dev:superadmin';
const STRANGER = 'zeta:shop:dev:main';
const STRANGER_PLANE = 'zeta:shop:dev:superadmin';
const PASSWORD = 'correct horse battery';
const LOGIN = 'root@example.org';

let it: TestNode;
const superadmins = new Map<string, Headers>();

beforeAll(async () => {
  const localdir = new URL('../kit/products/shop', import.meta.url).pathname;
  const zeta = `    - key: ${STRANGER}\n      meta: { localdir: ${localdir} }\n`;
  it = await startTestNode({ hosts: 2, tenant: zeta, extra: 'audit: { enabled: true }' });
  await it.node.provision(STRANGER);
  for (const plane of [PLANE, STRANGER_PLANE]) await it.node.bootstrap({ tenant: plane, scope: null, person: null });
  for (const place of [CONTROL, PLANE, STRANGER_PLANE, TENANT, OTHER_TENANT, STRANGER]) {
    const roles = ['superadmin', 'tenant_admin'];
    await it.node.ask(place, 'identity', 'person.ensure', { email: LOGIN, password: PASSWORD, roles });
    superadmins.set(place, await loggedIn(place));
  }
}, 60_000);
afterAll(() => it.stop());

async function loggedIn(place: string): Promise<Headers> {
  const here = positionHeaders(place);
  const { status, text, json } = await it.call('POST', '/auth/login', here, { login: LOGIN, password: PASSWORD });
  expect(status, text).toBe(200);
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

const as = (place: string): Headers => superadmins.get(place)!;
const codeOf = ({ status, json }: Answer): [number, string | undefined] => [
  status,
  (json as { code?: string } | undefined)?.code,
];
const register = (place: string, key: string, more: object = {}): Promise<Answer> => {
  const [customer, product, env, tenant] = key.split(':');
  return it.call('POST', '/superadmin/registry/tenants', as(place), { customer, product, env, tenant, ...more });
};
const provision = (place: string, key: string): Promise<Answer> =>
  it.call('POST', `/superadmin/registry/tenants/${key}/provision`, as(place), {
    admin: { email: `boss@${key.split(':')[3]}.example`, password: PASSWORD },
  });
const logOf = (key: string): string => `tenant/${key.replaceAll(':', '/')}`;

describe('registry', () => {
  const DENIED = [403, 'requires_superadmin'];

  test.each([
    ['a tenant’s superadmin', TENANT, 'acme:shop:dev:new'],
    ['a tenant’s superadmin, for the same tenant', TENANT, TENANT],
    ['another customer’s tenant’s superadmin', STRANGER, 'acme:shop:dev:new'],
    ['another customer’s operator plane', STRANGER_PLANE, 'acme:shop:dev:new'],
    ['the operator plane of another env', PLANE, 'acme:shop:prod:new'],
    ['the operator plane of another product', PLANE, 'acme:blog:dev:new'],
  ])('%s neither registers nor provisions', async (_name, place, key) => {
    expect(codeOf(await register(place, key))).toEqual(DENIED);
    expect(codeOf(await provision(place, key))).toEqual(DENIED);
    if (key !== TENANT) expect(it.node.tenants().some(({ position }) => position.key === key)).toBe(false);
    const login = await it.call('POST', '/auth/login', positionHeaders(TENANT), {
      login: 'boss@main.example',
      password: PASSWORD,
    });
    expect(login.status).toBe(401);
  });

  test('only the control plane learns which keys are none', async () => {
    expect(codeOf(await provision(PLANE, 'nonsense'))).toEqual(DENIED);
    expect(codeOf(await provision(PLANE, CONTROL))).toEqual(DENIED);
    expect(codeOf(await provision(CONTROL, 'nonsense'))).toEqual([404, 'unknown_tenant']);
  });

  test.each([
    ['the tenant’s operator plane', PLANE, 'acme:shop:dev:by-plane'],
    ['another customer’s plane, at home', STRANGER_PLANE, 'zeta:shop:dev:by-plane'],
    ['the control plane', CONTROL, 'zeta:shop:dev:by-control'],
  ])('%s registers and provisions', async (_name, place, key) => {
    expect((await register(place, key)).status).toBe(201);
    const done = await provision(place, key);
    expect([done.status, done.json]).toMatchObject([200, { state: 'active' }]);
  });

  test('an operator names a product source of the same product, the control plane any', async () => {
    const wish = { product_source: STRANGER };
    expect(codeOf(await register(PLANE, 'acme:shop:dev:borrowed', wish))).toEqual([400, 'bad_request']);
    expect((await register(PLANE, 'acme:shop:dev:borrowed', { product_source: TENANT })).status).toBe(201);
    expect((await register(CONTROL, 'acme:shop:dev:lent', wish)).status).toBe(201);
  });
});

describe('audit logs', () => {
  const NODE = 'node/platform';
  const all = [logOf(TENANT), logOf(OTHER_TENANT), logOf(STRANGER), NODE, logOf(PLANE)];
  const acme = [logOf(TENANT), logOf(OTHER_TENANT), logOf(PLANE)];

  test.each([
    ['the control plane', CONTROL, all],
    ['an operator plane', PLANE, acme],
    ['another customer’s operator plane', STRANGER_PLANE, [logOf(STRANGER)]],
    ['a tenant’s superadmin', TENANT, [logOf(TENANT)]],
    ['another customer’s tenant’s superadmin', STRANGER, [logOf(STRANGER)]],
  ])('%s reads what it is over, and nothing else', async (_name, place, mine) => {
    const logs = (await it.call('GET', '/audit/logs', as(place))).json as { logs: { log_id: string }[] };
    const listed = logs.logs.map(({ log_id }) => log_id).filter((id) => all.includes(id));
    for (const id of all) {
      const path = `/audit/logs/${encodeURIComponent(id)}`;
      for (const ask of ['', '/records', '/checkpoint', '/source/host']) {
        const answer = await it.call('GET', path + ask, as(place));
        if (mine.includes(id)) expect([200, 404], answer.text).toContain(answer.status);
        else expect(codeOf(answer)).toEqual([403, 'audit.forbidden']);
      }
      const newest = await it.call('GET', `/audit/newest?prefix=${id}&source=host&member=x`, as(place));
      expect(newest.status).toBe(mine.includes(id) ? 200 : 403);
      if (!mine.includes(id)) expect(listed).not.toContain(id);
    }
    expect(listed.length).toBeGreaterThan(0);
    for (const prefix of ['tenant/', 'tenant/acme', 'node/'])
      expect((await it.call('GET', `/audit/newest?prefix=${prefix}&source=host&member=x`, as(place))).status).toBe(
        place === CONTROL ? 200 : 403,
      );
  });
});

describe('the superadmin plane of data', () => {
  const hashes = (place: string, tenant: string): Promise<Answer> =>
    it.call('GET', `/data/superadmin/tenant/${tenant}/hashes`, as(place));
  const DENIED = [403, 'v2.requires_superadmin'];

  test('a tenant’s superadmin reaches the tenant, neither its siblings nor its operator plane', async () => {
    expect((await hashes(TENANT, 'main')).status).toBe(200);
    for (const tenant of ['other', 'superadmin', 'shared', 'absent'])
      expect(codeOf(await hashes(TENANT, tenant))).toEqual(DENIED);
    const cache = await it.call('DELETE', '/data/superadmin/tenant/other/cache', as(TENANT));
    expect(codeOf(cache)).toEqual(DENIED);
  });

  test('an operator plane reaches its tenants; a name is looked for beside the plane alone', async () => {
    expect((await hashes(PLANE, 'other')).status).toBe(200);
    expect((await hashes(STRANGER_PLANE, 'main')).status).toBe(200);
    expect(codeOf(await hashes(STRANGER_PLANE, 'other'))).toEqual([403, 'v2.no_tenant']);
  });

  test('an operator plane asks what the rules of its tenant say to a user there, whose roles that tenant tells', async () => {
    const wish = { email: 'eve@example.org', password: 'correct horse battery', roles: ['clerk'] };
    const { id } = (await it.node.ask(OTHER_TENANT, 'identity', 'person.ensure', wish)) as { id: string };
    const explain = (place: string, tenant: string): Promise<Answer> =>
      it.call('POST', `/data/superadmin/tenant/${tenant}/explain`, as(place), {
        user: id,
        method: 'GET',
        target: '/data/rest/item',
      });
    const told = await explain(PLANE, 'other');
    expect(told.status, told.text).toBe(200);
    expect(told.json).toMatchObject({ tenant: OTHER_TENANT, user: { id, roles: ['clerk'] }, operation: 'read' });
    expect(codeOf(await explain(PLANE, 'main'))).toEqual([404, 'v2.unknown_user']);
    expect(codeOf(await explain(TENANT, 'other'))).toEqual(DENIED);
  });

  test('each sees the tenants that it is over', async () => {
    const listed = async (place: string): Promise<readonly string[]> =>
      ((await it.call('GET', '/data/superadmin/tenant', as(place))).json as { tenants: string[] }).tenants;
    await hashes(PLANE, 'other');
    expect(await listed(TENANT)).toEqual([TENANT]);
    const acme = await listed(PLANE);
    expect(acme).toEqual(expect.arrayContaining([TENANT, OTHER_TENANT, PLANE]));
    expect(acme.every((key) => key.startsWith('acme:shop:dev:'))).toBe(true);
    expect(await listed(CONTROL)).toEqual(expect.arrayContaining([...acme, STRANGER, STRANGER_PLANE]));
  });
});

describe('keys', () => {
  const issue = (place: string, capabilities: object): Promise<Answer> =>
    it.call('POST', '/auth/apikey', as(place), { capabilities });

  test('a superadmin confers no role that reaches beyond that superadmin’s plane, so no key over other customers can be made', async () => {
    for (const role of ['env_admin', 'product_admin', 'customer_admin', 'platform_admin'])
      expect(codeOf(await issue(TENANT, { roles: [role] }))).toEqual([403, 'scope_exceeds_authority']);
    expect((await issue(TENANT, { roles: ['tenant_viewer', 'editor'] })).status).toBe(201);
    expect((await issue(PLANE, { roles: ['env_admin'] })).status).toBe(201);
    expect(codeOf(await issue(PLANE, { roles: ['product_admin'] }))).toEqual([403, 'scope_exceeds_authority']);
    expect((await issue(CONTROL, { roles: ['platform_admin'] })).status).toBe(201);
  });
});

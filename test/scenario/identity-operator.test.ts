/** The superadmin plane over HTTP: registry, provisioning, impersonation with all its conditions. Spec: docs/contract/identity-users.md §6, §7. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const CONTROL = 'superadmin:superadmin:superadmin:superadmin';
const PLANE = 'acme:shop:dev:superadmin';
const SLEEPING = 'acme:shop:dev:sleeping';
const PASSWORD = 'correct horse';
const HOUR_MS = 3_600_000;

let it: TestNode;
let superadmin: Headers;
let userId: string;
beforeAll(async () => {
  it = await startTestNode({ hosts: 2, rates: '  auth_apikey: off\n  auth_token: off\n  auth_login: off\n' });
  await it.node.bootstrap({ tenant: PLANE, scope: null, person: null });
  await ask(CONTROL, 'superadmin.ensure', { email: 'root@example.org', password: PASSWORD });
  superadmin = await loginAt(CONTROL, 'root@example.org');
  for (const role of ['tenant_admin', 'platform_admin'])
    await ask(TENANT, 'person.ensure', { email: `${role}@example.org`, password: PASSWORD, roles: [role] });
  const user = { email: 'ann@example.org', password: PASSWORD, roles: ['tenant_user'] };
  userId = ((await ask(TENANT, 'person.ensure', user)) as { id: string }).id;
}, 60_000);
afterAll(() => it.stop());

const ask = (tenant: string, verb: string, body: unknown): Promise<unknown> =>
  it.node.ask(tenant, 'identity', verb, body);

/** Headers of a new key at a position. */
async function keyAt(tenant: string, capabilities: object): Promise<Headers> {
  const { key } = (await ask(tenant, 'key.issue', { capabilities })) as { key: string };
  return { ...positionHeaders(tenant), Authorization: `ApiKey ${key}` };
}

async function loginAt(tenant: string, login: string): Promise<Headers> {
  const here = positionHeaders(tenant);
  const { json } = await post('/auth/login', here, { login, password: PASSWORD });
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

const post = (path: string, headers: Headers, body?: unknown): Promise<Answer> => it.call('POST', path, headers, body);
const codeOf = (answer: Answer): [number, string] => [answer.status, (answer.json as { code: string }).code];
const register = (headers: Headers, body: unknown): Promise<Answer> =>
  post('/superadmin/registry/tenants', headers, body);
const provision = (headers: Headers, key: string, body?: unknown): Promise<Answer> =>
  post(`/superadmin/registry/tenants/${key}/provision`, headers, body);

describe('registry', () => {
  const wish = { customer: 'acme', product: 'shop', env: 'dev', tenant: 'made' };

  test('201 with the record, again the same record, then provisioned to active and served at once', async () => {
    const made = await register(superadmin, wish);
    expect([made.status, made.json]).toMatchObject([
      201,
      { ...wish, key: 'acme:shop:dev:made', state: 'registered', created_at: expect.any(String) },
    ]);
    expect((await register(superadmin, wish)).json).toEqual(made.json);
    const admin = { email: 'boss@example.org', password: 'a long password' };
    const done = await provision(superadmin, 'acme:shop:dev:made', { admin });
    expect([done.status, done.json]).toMatchObject([200, { state: 'active', steps: expect.any(Array) }]);
    const again = await provision(superadmin, 'acme:shop:dev:made');
    expect([again.status, again.json]).toMatchObject([200, { state: 'active', steps: [] }]);
    const here = positionHeaders('acme:shop:dev:made');
    const login = await post('/auth/login', here, { login: admin.email, password: admin.password });
    expect(login.status).toBe(200);
    const { access_token } = login.json as { access_token: string };
    const issued = await post('/auth/apikey', { ...here, Authorization: `Bearer ${access_token}` }, {});
    expect(issued.status).toBe(201);
  });

  test('the first request of a configured tenant writes its record', async () => {
    expect(it.node.tenants().some(({ position }) => position.key === SLEEPING)).toBe(false);
    await it.call('GET', '/data/rest/item', positionHeaders(SLEEPING));
    await expect
      .poll(() => it.node.tenants().find(({ position }) => position.key === SLEEPING))
      .toMatchObject({ state: 'registered' });
  });

  test.each([
    ['a reserved tenant', { ...wish, tenant: 'superadmin' }],
    ['a malformed segment', { ...wish, env: 'DEV' }],
    ['a product that the file does not name', { ...wish, product: 'other' }],
    ['a directory that the file does not name', { ...wish, tenant: 'more', product_source: '/etc' }],
    ['a missing segment', { customer: 'acme' }],
  ])('400 for %s', async (_name, body) => {
    expect(codeOf(await register(superadmin, body))).toEqual([400, 'bad_request']);
  });

  test.each([
    ['the administrator’s members in the wrong place', { email: 'a@example.org', password: PASSWORD }],
    ['a misspelt member', { administrator: { email: 'a@example.org', password: PASSWORD } }],
    [
      'a member that an administrator does not have',
      { admin: { email: 'a@example.org', password: PASSWORD, roles: ['superadmin'] } },
    ],
  ])('provision: 400 for %s, and nothing is done', async (_name, body) => {
    expect((await register(superadmin, { ...wish, tenant: 'strict' })).status).toBe(201);
    expect(codeOf(await provision(superadmin, 'acme:shop:dev:strict', body))).toEqual([400, 'bad_request']);
    const { position, state } = it.node.tenants().find(({ position: { key } }) => key === 'acme:shop:dev:strict')!;
    expect([position.tenant, state]).toEqual(['strict', 'registered']);
  });

  test('register: 400 for a member that is none', async () => {
    expect(codeOf(await register(superadmin, { ...wish, source: TENANT }))).toEqual([400, 'bad_request']);
  });

  test('a key of the file names a source too', async () => {
    const made = await register(superadmin, { ...wish, product: 'shop2', product_source: TENANT });
    expect([made.status, made.json]).toMatchObject([201, { product: 'shop2', state: 'registered' }]);
  });

  test('who may not, and what is not there', async () => {
    const admin = await loginAt(TENANT, 'platform_admin@example.org');
    expect(codeOf(await register(admin, wish))).toEqual([403, 'requires_superadmin']);
    expect(codeOf(await provision(admin, TENANT))).toEqual([403, 'requires_superadmin']);
    expect(codeOf(await provision(superadmin, 'acme:shop:dev:absent'))).toEqual([404, 'unknown_tenant']);
    expect(codeOf(await provision(superadmin, 'nonsense'))).toEqual([404, 'unknown_tenant']);
    expect(codeOf(await register({}, wish))).toEqual([401, 'auth_required']);
    expect(codeOf(await register({ Authorization: superadmin['Authorization']! }, wish))).toEqual([400, 'no_tenant']);
    const key = await keyAt(CONTROL, { is_superadmin: true });
    expect(codeOf(await register(key, wish))).toEqual([401, 'auth_required']);
    expect(codeOf(await register({ ...it.position(), ...(await it.service()) }, wish))).toEqual([
      403,
      'requires_superadmin',
    ]);
  });
});

describe('impersonate', () => {
  const impersonate = (headers: Headers, body: object): Promise<Answer> =>
    post('/superadmin/impersonate', headers, body);
  const wish = { tenant: TENANT, user: 'ann@example.org', reason: 'ticket 7', mode: 'full' };

  async function operatorWith(roles: readonly string[], grants = [TENANT]): Promise<Headers> {
    const headers = await keyAt(PLANE, { roles });
    const operator = headers['Authorization']!.slice('ApiKey '.length).split('.')[0]!;
    for (const tenant of grants)
      await ask(CONTROL, 'grant.put', { operator, tenant, granted_by: 'test', for_ms: HOUR_MS });
    return headers;
  }

  const allow = (yes: boolean): Promise<unknown> => ask(TENANT, 'user.set', { user: userId, allow_impersonation: yes });
  const tokenOf = (answer: Answer): Headers => ({
    ...positionHeaders(TENANT),
    Authorization: `Bearer ${(answer.json as { access_token: string }).access_token}`,
  });

  beforeAll(() => allow(true));

  test('200 with role, grant, consent and reason; the session is shown, and its end ends the token', async () => {
    const operator = await operatorWith(['impersonate']);
    const answer = await impersonate(operator, wish);
    expect([answer.status, answer.json]).toMatchObject([200, { token_type: 'Bearer', expires_in: 900 }]);
    expect(Object.keys(answer.json as object).sort()).toEqual([
      'access_token',
      'expires_in',
      'session_id',
      'token_type',
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { session_id: id } = answer.json as { session_id: string };
    const acting = tokenOf(answer);
    const created = await post('/data/rest/item', acting, { name: 'by-operator', token: 't-op' });
    expect(created.status).toBe(201);
    expect(codeOf(await post('/auth/apikey', acting, {}))).toEqual([403, 'impersonation_denied']);
    const admin = await loginAt(TENANT, 'tenant_admin@example.org');
    const listed = await post('/internal/session/list', admin, { principal: userId });
    expect((listed.json as { sessions: object[] }).sessions).toContainEqual(
      expect.objectContaining({ id, kind: 'impersonation', principal: userId }),
    );
    expect((await post('/internal/session/revoke', admin, { id })).status).toBe(200);
    expect((await post('/data/rest/item', acting, {})).status).toBe(401);
  });

  test('withdrawn consent ends what is under way, with the next request', async () => {
    const acting = tokenOf(await impersonate(await operatorWith(['impersonate']), wish));
    expect((await it.call('GET', '/data/rest/item', acting)).status).toBe(200);
    await allow(false);
    expect((await it.call('GET', '/data/rest/item', acting)).status).toBe(401);
    await allow(true);
    expect((await it.call('GET', '/data/rest/item', acting)).status).toBe(401);
  });

  test('readonly looks and does not touch', async () => {
    const operator = await operatorWith(['impersonate-readonly']);
    const acting = tokenOf(await impersonate(operator, { ...wish, mode: 'readonly' }));
    expect((await it.call('GET', '/data/rest/item', acting)).status).toBe(200);
    expect((await post('/data/rest/item', acting, { name: 'no', token: 'no' })).status).toBe(403);
    expect(codeOf(await it.call('DELETE', '/auth/apikey/x', acting))).toEqual([403, 'impersonation_denied']);
  });

  test.each([
    ['no role', []],
    ['the other role', ['impersonate-readonly']],
    ['a superadmin’s role', ['superadmin', 'platform_admin']],
  ])('403 with %s', async (_name, roles) => {
    expect(codeOf(await impersonate(await operatorWith(roles), wish))).toEqual([403, 'impersonation_denied']);
  });

  test('403 for the readonly mode with the full role only', async () => {
    const answer = await impersonate(await operatorWith(['impersonate']), { ...wish, mode: 'readonly' });
    expect(codeOf(answer)).toEqual([403, 'impersonation_denied']);
  });

  test.each([
    ['no grant', []],
    ['a grant in another tenant', [OTHER_TENANT]],
  ])('403 with %s', async (_name, grants) => {
    expect(codeOf(await impersonate(await operatorWith(['impersonate'], grants), wish))).toEqual([
      403,
      'impersonation_denied',
    ]);
  });

  test('403 once the grant is revoked', async () => {
    const operator = await operatorWith(['impersonate']);
    const id = operator['Authorization']!.slice('ApiKey '.length).split('.')[0]!;
    expect(await ask(CONTROL, 'grant.revoke', { operator: id, tenant: TENANT })).toEqual({ revoked: true });
    expect(codeOf(await impersonate(operator, wish))).toEqual([403, 'impersonation_denied']);
  });

  test('403 from a position that is no operator plane, for a plane, for a stranger', async () => {
    const elsewhere = await keyAt(TENANT, { roles: ['impersonate'], is_superadmin: true });
    expect(codeOf(await impersonate(elsewhere, wish))).toEqual([403, 'impersonation_denied']);
    const operator = await operatorWith(['impersonate']);
    const denied = [403, 'impersonation_denied'];
    expect(codeOf(await impersonate(operator, { ...wish, tenant: PLANE }))).toEqual(denied);
    expect(codeOf(await impersonate(operator, { ...wish, tenant: 'acme:other:dev:main' }))).toEqual(denied);
    expect(codeOf(await impersonate(operator, { ...wish, user: 'absent@example.org' }))).toEqual(denied);
  });

  test('403 without the user’s consent, which is no by default', async () => {
    await allow(false);
    const answer = await impersonate(await operatorWith(['impersonate']), wish);
    expect(codeOf(answer)).toEqual([403, 'impersonation_denied']);
    await allow(true);
  });

  test.each([[undefined], [''], ['  '], [7]])('400 reason_required: %s', async (reason) => {
    const operator = await operatorWith(['impersonate']);
    expect(codeOf(await impersonate(operator, { ...wish, reason }))).toEqual([400, 'reason_required']);
    expect(codeOf(await impersonate(operator, { reason }))).toEqual([400, 'reason_required']);
  });

  test('400 for another mode or a missing user; 401 without a credential', async () => {
    const operator = await operatorWith(['impersonate']);
    expect(codeOf(await impersonate(operator, { ...wish, mode: 'god' }))).toEqual([400, 'bad_request']);
    expect(codeOf(await impersonate(operator, { ...wish, user: undefined }))).toEqual([400, 'bad_request']);
    expect(codeOf(await impersonate(positionHeaders(PLANE), wish))).toEqual([401, 'auth_required']);
  });
});

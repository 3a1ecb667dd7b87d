/**
 * Who logged in, who changed this row, on whose behalf, from where: answered from the audit log alone, over HTTP.
 * Contract: docs/contract/audit.md §2.2; docs/decisions/audit.md AU-23 to AU-25.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const PLANE = 'acme:shop:dev:superadmin';
const LOG = `/audit/logs/${encodeURIComponent('tenant/acme/shop/dev/main')}`;
const HERE = '127.0.0.1';

interface AuditRecord {
  readonly action: string;
  readonly actor: string;
  readonly subject?: string;
  readonly session?: string;
  readonly target: string;
  readonly outcome: string;
  readonly personal_sha256?: string;
}

let node: TestNode;
let boss: Headers;
const ids: Record<string, string> = {};

const ask = (tenant: string, verb: string, body: unknown) => node.node.ask(tenant, 'identity', verb, body);
const post = (path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  node.call('POST', path, headers, body);

async function login(name: string, password = PASSWORD): Promise<Answer> {
  return post('/auth/login', positionHeaders(TENANT), { login: `${name}@example.org`, password });
}

async function headersOf(name: string): Promise<Headers> {
  const { access_token } = (await login(name)).json as { access_token: string };
  return { ...positionHeaders(TENANT), Authorization: `Bearer ${access_token}` };
}

/** The newest record that fits, with its personal data; waits until the log shows it. */
async function newest(query: string): Promise<AuditRecord & { ip?: string; email?: string }> {
  const read = async () => {
    const answer = await node.call('GET', `${LOG}/records?limit=500&${query}`, boss);
    expect(answer.status, answer.text).toBe(200);
    return answer.json as { records: AuditRecord[]; personal: Record<string, object> };
  };
  await expect.poll(async () => (await read()).records.length, { timeout: 10_000 }).toBeGreaterThan(0);
  const { records, personal } = await read();
  const record = records.at(-1)!;
  return { ...record, ...personal[record.personal_sha256 ?? ''] };
}

beforeAll(async () => {
  node = await startTestNode({ extra: 'audit: { enabled: true }' });
  for (const [name, role] of [
    ['boss', 'tenant_admin'],
    ['ann', 'tenant_user'],
  ] as const) {
    const person = { email: `${name}@example.org`, password: PASSWORD, roles: [role] };
    ids[name] = ((await ask(TENANT, 'person.ensure', person)) as { id: string }).id;
  }
  boss = await headersOf('boss');
});
afterAll(() => node.stop());

describe('logins', () => {
  test('who logged in, from where', async () => {
    await login('ann');
    expect(await newest(`action=auth.login.after&outcome=ok&target=${ids['ann']}`)).toMatchObject({
      actor: ids['ann'],
      target: ids['ann'],
      ip: HERE,
      email: 'ann@example.org',
    });
  });

  test('a wrong password names whom it was tried on, and no actor', async () => {
    await login('ann', 'wrong wrong wrong');
    expect(await newest('action=auth.login.after&outcome=invalid_credentials')).toMatchObject({
      actor: '',
      target: ids['ann'],
      ip: HERE,
      email: 'ann@example.org',
    });
  });

  test('a refresh, a refresh token used twice, and a logout name the user', async () => {
    const { refresh_token } = (await login('ann')).json as { refresh_token: string };
    const second = (await post('/auth/refresh', positionHeaders(TENANT), { refresh_token })).json as {
      refresh_token: string;
    };
    expect(await newest('action=auth.refresh.after&outcome=ok')).toMatchObject({ actor: ids['ann'], ip: HERE });
    await post('/auth/refresh', positionHeaders(TENANT), { refresh_token: second.refresh_token });
    await post('/auth/refresh', positionHeaders(TENANT), { refresh_token });
    expect(await newest('action=auth.refresh.after&outcome=refresh_reused')).toMatchObject({
      target: ids['ann'],
      ip: HERE,
    });
    await post('/auth/logout', await headersOf('ann'), {});
    expect(await newest('action=auth.logout.after')).toMatchObject({ actor: ids['ann'], target: ids['ann'], ip: HERE });
  });

  test('a reset that was asked for names the account and the caller', async () => {
    await post('/auth/password/reset', positionHeaders(TENANT), { login: 'ann@example.org' });
    expect(await newest('action=auth.password_reset.after')).toMatchObject({
      actor: '',
      target: ids['ann'],
      ip: HERE,
      email: 'ann@example.org',
    });
  });
});

test('a user who was made is a record', async () => {
  expect(await newest(`action=auth.user.created&target=${ids['ann']}`)).toMatchObject({
    actor: 'operator',
    email: 'ann@example.org',
  });
});

test('the operator who provisions an administrator over HTTP is named beside the new user', async () => {
  const root = { email: 'root@example.org', password: PASSWORD };
  const { id } = (await ask(CONTROL_PLANE, 'superadmin.ensure', root)) as { id: string };
  const plane = positionHeaders(CONTROL_PLANE);
  const { access_token } = (await post('/auth/login', plane, { login: root.email, password: PASSWORD })).json as {
    access_token: string;
  };
  const headers = { ...plane, Authorization: `Bearer ${access_token}` };
  const admin = { email: 'second@example.org', password: PASSWORD };
  const done = await post(`/superadmin/registry/tenants/${TENANT}/provision`, headers, { admin });
  expect(done.status, done.text).toBe(200);
  expect(await newest('action=auth.user.created&actor=' + id)).toMatchObject({ email: admin.email });
});

describe('rows', () => {
  test('who wrote a row, from where', async () => {
    const ann = await headersOf('ann');
    const created = await post('/data/rest/item', ann, { name: 'by-ann', token: 't-ann' });
    expect(created.status, created.text).toBe(201);
    const [{ id }] = (created.json as { data: [{ id: string }] }).data;
    expect(await newest(`action=data.item.create&target=${id}`)).toMatchObject({ actor: ids['ann'], ip: HERE });
  });

  test('under a full impersonation the operator acts, on behalf of the user, in the session that the user can see', async () => {
    await node.node.bootstrap({ tenant: PLANE, scope: null, person: null });
    await ask(TENANT, 'user.set', { user: ids['ann'], allow_impersonation: true });
    const { key } = (await ask(PLANE, 'key.issue', { capabilities: { roles: ['impersonate'] } })) as { key: string };
    const operator = key.split('.')[0]!;
    await ask(CONTROL_PLANE, 'grant.put', { operator, tenant: TENANT, granted_by: 'test', for_ms: 3_600_000 });
    const opened = await post(
      '/superadmin/impersonate',
      { ...positionHeaders(PLANE), Authorization: `ApiKey ${key}` },
      { tenant: TENANT, user: 'ann@example.org', reason: 'ticket 7', mode: 'full' },
    );
    expect(opened.status, opened.text).toBe(200);
    const { access_token, session_id: session } = opened.json as { access_token: string; session_id: string };
    const acting = { ...positionHeaders(TENANT), Authorization: `Bearer ${access_token}` };
    const created = await post('/data/rest/item', acting, { name: 'by-operator', token: 't-op' });
    expect(created.status, created.text).toBe(201);
    const [{ id }] = (created.json as { data: [{ id: string }] }).data;
    expect(await newest(`action=data.item.create&target=${id}`)).toMatchObject({
      actor: operator,
      subject: ids['ann'],
      session,
      ip: HERE,
    });
  });
});

describe('erasing', () => {
  test('an administrator erases an address: the record stays, names who erased, and holds it no more', async () => {
    const query = `action=auth.user.created&target=${ids['ann']}`;
    expect(await newest(query)).toHaveProperty('email', 'ann@example.org');
    const erased = await post(`${LOG}/erasures`, boss, { email: 'ann@example.org' });
    expect(erased.status, erased.text).toBe(200);
    expect((erased.json as { erased: number }).erased).toBeGreaterThan(0);
    const record = await newest(query);
    expect(record).toHaveProperty('personal_sha256');
    expect(record).not.toHaveProperty('email');
    expect(await newest('action=audit.personal.erased')).toMatchObject({ actor: ids['boss'], outcome: 'ok' });
  });

  test.each([
    ['nothing named', {}],
    ['an unknown member', { phone: '1' }],
    ['no time', { before: 'yesterday' }],
  ])('400 for %s', async (_name, body) => {
    expect((await post(`${LOG}/erasures`, boss, body)).status).toBe(400);
  });

  test('403 for a user of the tenant who is no administrator', async () => {
    expect((await post(`${LOG}/erasures`, await headersOf('ann'), { ip: HERE })).status).toBe(403);
  });
});

test('an exchange without an API key is refused as on a node without a log, and its failure is on record', async () => {
  for (const headers of [node.position(), boss]) {
    const { status, json } = await post('/auth/token', headers);
    expect([status, json]).toEqual([401, expect.objectContaining({ code: 'apikey_required' })]);
  }
  expect(await newest('action=auth.apikey.exchange_failed')).toMatchObject({ outcome: 'apikey_required', ip: HERE });
});

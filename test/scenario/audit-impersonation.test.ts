/**
 * What the logs say of an operator who acts, or tries to act, for a user: whom, where, from where; and nothing of the typed address that
 * could not be erased. Contract: docs/contract/audit.md §2.2; docs/decisions/audit.md AU-23 to AU-25.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const PLANE = 'acme:shop:dev:superadmin';
const HERE = '127.0.0.1';
const ANN = 'ann@example.org';

interface AuditRecord {
  readonly target: string;
  readonly outcome: string;
  readonly request_id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly personal_sha256?: string;
}

let node: TestNode;
let root: Headers;
let operator: string;
let operatorHeaders: Headers;
let ann: string;

const ask = (tenant: string, verb: string, body: unknown) => node.node.ask(tenant, 'identity', verb, body);
const post = (path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  node.call('POST', path, headers, body);
const logOf = (tenant: string): string => `/audit/logs/${encodeURIComponent(`tenant/${tenant.replaceAll(':', '/')}`)}`;
const wish = { tenant: TENANT, user: ANN, reason: 'ticket 7', mode: 'full' };
const impersonate = (more: object = {}): Promise<Answer> =>
  post('/superadmin/impersonate', operatorHeaders, { ...wish, ...more });

/** The record of a tenant's log that fits, with its personal data; waits until the log shows it. */
async function recordOf(
  tenant: string,
  action: string,
  fits: (record: AuditRecord) => boolean = () => true,
): Promise<AuditRecord & { ip?: string; email?: string }> {
  const read = async () => {
    const answer = await node.call('GET', `${logOf(tenant)}/records?limit=500&action=${action}`, root);
    expect(answer.status, answer.text).toBe(200);
    const { records, personal } = answer.json as { records: AuditRecord[]; personal: Record<string, object> };
    return records.filter(fits).map((record) => ({ ...record, ...personal[record.personal_sha256 ?? ''] }));
  };
  await expect.poll(async () => (await read()).length, { timeout: 10_000 }).toBeGreaterThan(0);
  return (await read()).at(-1)!;
}

/** Every byte of a log but what lies beside it. */
function signedText(tenant: string): string {
  const directory = join(node.platform.audit.base_dir, 'tenant', ...tenant.split(':'));
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('personal'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

beforeAll(async () => {
  node = await startTestNode({ extra: 'audit: { enabled: true }' });
  await node.node.bootstrap({ tenant: PLANE, scope: null, person: null });
  ann = ((await ask(TENANT, 'person.ensure', { email: ANN, password: PASSWORD, roles: [] })) as { id: string }).id;
  await ask(CONTROL_PLANE, 'superadmin.ensure', { email: 'root@example.org', password: PASSWORD });
  const plane = positionHeaders(CONTROL_PLANE);
  const entered = await post('/auth/login', plane, { login: 'root@example.org', password: PASSWORD });
  root = { ...plane, Authorization: `Bearer ${(entered.json as { access_token: string }).access_token}` };
  const { key } = (await ask(PLANE, 'key.issue', { capabilities: { roles: ['impersonate'] } })) as { key: string };
  operator = key.split('.')[0]!;
  operatorHeaders = { ...positionHeaders(PLANE), Authorization: `ApiKey ${key}` };
});
afterAll(() => node.stop());

const grant = () =>
  ask(CONTROL_PLANE, 'grant.put', { operator, tenant: TENANT, granted_by: 'test', for_ms: 3_600_000 });

describe('an impersonation that is denied', () => {
  let calls = 0;

  /** The answer is the contract's 403, whatever the record says; the reason finds the record. */
  const denial = async (why: string, more: object = {}) => {
    const reason = `ticket ${calls++}`;
    const answer = await impersonate({ ...more, reason });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([403, 'impersonation_denied']);
    const record = await recordOf(PLANE, 'auth.impersonation.denied', ({ data }) => data['reason'] === reason);
    expect(record).toMatchObject({ actor: operator, outcome: 'impersonation_denied', data: { why } });
    return record;
  };

  test('without a grant the record names the id of the user who was typed', async () => {
    expect(await denial('no grant')).toMatchObject({ target: ann, email: ANN, ip: HERE });
  });

  test('without consent too', async () => {
    await grant();
    const why = 'the user does not allow impersonation';
    expect(await denial(why)).toMatchObject({ target: ann, email: ANN, ip: HERE });
    const byId = await denial(why, { user: ann });
    expect(byId).toMatchObject({ target: ann, ip: HERE });
    expect(byId).not.toHaveProperty('email');
  });

  test('an address that no user has lies beside the log, one typed as the tenant nowhere', async () => {
    const stranger = 'stranger@example.org';
    expect(await denial('no such user', { user: stranger })).toMatchObject({ target: '', email: stranger });
    const elsewhere = await denial('the tenant is not of this plane', { tenant: 'typed@example.org' });
    expect(elsewhere).toMatchObject({ target: '', email: ANN, data: { tenant: '' } });
  });

  test('nothing that was typed is in what is signed', () => {
    const text = signedText(PLANE);
    expect(text).toContain('auth.impersonation.denied');
    expect(text).not.toMatch(/@example\.org/);
  });

  test('and it can be erased', async () => {
    const erased = await post(`${logOf(PLANE)}/erasures`, root, { email: ANN });
    expect(erased.status, erased.text).toBe(200);
    expect((erased.json as { erased: number }).erased).toBeGreaterThan(0);
    const { text } = await node.call('GET', `${logOf(PLANE)}/records?limit=500`, root);
    expect(text).toContain(ann);
    expect(text).not.toContain(ANN);
  });
});

test('an impersonation that starts: the plane names user, tenant and session, the tenant request and address', async () => {
  await grant();
  await ask(TENANT, 'user.set', { user: ann, allow_impersonation: true });
  const opened = await impersonate({ reason: 'allowed' });
  expect(opened.status, opened.text).toBe(200);
  const { session_id } = opened.json as { session_id: string };
  const ended = await recordOf(PLANE, 'auth.impersonate.after', ({ outcome }) => outcome === 'ok');
  expect(ended).toMatchObject({
    actor: operator,
    target: ann,
    data: { tenant: TENANT, mode: 'full', session_id },
    ip: HERE,
    email: ANN,
  });
  expect(await recordOf(TENANT, 'auth.impersonation.started')).toMatchObject({
    actor: operator,
    target: ann,
    request_id: ended.request_id,
    ip: HERE,
    data: { session_id, reason: 'allowed' },
  });
  expect(ended.request_id).not.toBe('');
});

describe('a superadmin’s route', () => {
  const annsHeaders = async (): Promise<Headers> => {
    const place = positionHeaders(TENANT);
    const entered = await post('/auth/login', place, { login: ANN, password: PASSWORD });
    return { ...place, Authorization: `Bearer ${(entered.json as { access_token: string }).access_token}` };
  };
  const refused = ({ outcome }: AuditRecord) => outcome === 'requires_superadmin';

  test('names the tenant also where it refuses the caller', async () => {
    const caller = await annsHeaders();
    const other = 'acme:shop:dev:other';
    expect((await post(`/superadmin/registry/tenants/${other}/provision`, caller, {})).status).toBe(403);
    expect(await recordOf(TENANT, 'auth.tenant_provision.after', refused)).toMatchObject({ actor: ann, target: other });
    const body = { customer: 'acme', product: 'shop', env: 'dev', tenant: 'third' };
    expect((await post('/superadmin/registry/tenants', caller, body)).status).toBe(403);
    expect(await recordOf(TENANT, 'auth.tenant_register.after', refused)).toMatchObject({
      actor: ann,
      target: 'acme:shop:dev:third',
    });
  });

  test('a path that is no tenant’s key is not in the record of its provisioning', async () => {
    expect((await post('/superadmin/registry/tenants/typed@example.org/provision', root, {})).status).toBe(404);
    expect(await recordOf(CONTROL_PLANE, 'auth.tenant_provision.after')).toMatchObject({
      target: '',
      outcome: 'unknown_tenant',
    });
  });
});

/** Plans of a tenant through the control plane on a real node whose checkout a test edits: made, shown, applied, taken back, and for no other caller (docs/contract/identity-users.md §6.1). */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PERSON = { login: 'root@example.org', password: 'a long enough password' };
const PLANE = 'acme:shop:dev:superadmin';
const OTHER_PLANE = 'umbra:shop:dev:superadmin';
const dir = mkdtempSync(join(tmpdir(), 'skep-tenant-plans-'));
const product = join(dir, 'product');

/** Declares the entity `thing`, beside what the shop has. */
function declare(fields: string): void {
  const rule = '{ language: cel, rule: "true" }';
  const access = ['create', 'read', 'update', 'delete'].map((one) => `${one}: ${rule}`).join(', ');
  const text = `entities:\n  thing:\n    fields: { ${fields} }\n    access: { ${access} }\n`;
  writeFileSync(join(product, 'entities', 'thing.yaml'), text);
}

let it: TestNode;
const bearers = new Map<string, Headers>();
beforeAll(async () => {
  mkdirSync(product);
  cpSync(`${ROOT}test/kit/products/shop`, product, { recursive: true });
  declare('a: { type: string }');
  it = await startTestNode({ localdir: product, extra: 'audit: { enabled: true }' });
  for (const plane of [PLANE, OTHER_PLANE]) await it.node.bootstrap({ tenant: plane, scope: null, person: null });
  for (const place of [CONTROL_PLANE, PLANE, OTHER_PLANE, TENANT]) {
    await it.node.ask(place, 'identity', 'user.ensure', { ...PERSON, roles: ['superadmin', 'tenant_admin'] });
    const { json } = await it.call('POST', '/auth/login', positionHeaders(place), PERSON);
    const { access_token } = json as { access_token: string };
    bearers.set(place, { ...positionHeaders(place), Authorization: `Bearer ${access_token}` });
  }
}, 60_000);
afterAll(async () => {
  await it.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Step {
  readonly Entity: string;
  readonly Identifier: string;
  readonly SQL: string;
  readonly Risk: string;
}

const root = (): Headers => bearers.get(CONTROL_PLANE)!;
const ask = (method: string, path: string, body?: unknown, headers = root(), key = TENANT): Promise<Answer> =>
  it.call(method, `/superadmin/registry/tenants/${key}/plans${path}`, headers, body);
const codeOf = ({ status, json }: Answer): unknown => [status, (json as { code?: string } | undefined)?.code];

async function planned(body: object = {}) {
  const { status, json, text } = await ask('POST', '', body);
  expect(status, text).toBe(200);
  return json as {
    readonly plan_id: string;
    readonly max_risk: string;
    readonly steps: readonly Step[];
    readonly warnings?: readonly string[];
  };
}

const apply = (id: string, risk: string): Promise<Answer> => ask('POST', `/${id}/apply`, { confirm_max_risk: risk });
/** How often each step of a plan has which status. */
async function shown(id: string) {
  const { json } = await ask('GET', `/${id}`);
  const { plan, steps, tenant } = json as {
    tenant: string;
    plan: { Status: string; AppliedCount: number; TriggeredBy: string };
    steps: { Status: string }[];
  };
  return { tenant, status: plan.Status, applied: plan.AppliedCount, steps: steps.map(({ Status }) => Status) };
}

describe('a plan', () => {
  test('to the checkout says what would change, and changes nothing until it is applied', async () => {
    expect((await planned()).steps).toEqual([]);
    declare('a: { type: string }, b: { type: integer }');
    const { plan_id, steps, max_risk } = await planned();
    expect(steps).toMatchObject([{ Entity: 'thing', Identifier: 'b', Risk: 'low' }]);
    expect(steps[0]!.SQL).toMatch(/ALTER TABLE .*thing.* ADD COLUMN/i);
    const made = await shown(plan_id);
    expect(made).toEqual({ tenant: TENANT, status: 'generated', applied: 0, steps: ['pending'] });
    expect((await it.call('POST', '/data/rest/thing', bearers.get(TENANT), { a: 'x', b: 1 })).status).toBe(422);
    const { status, json } = await apply(plan_id, max_risk);
    expect([status, json]).toEqual([200, expect.objectContaining({ status: 'applied', steps_applied: 1 })]);
    expect(await shown(plan_id)).toMatchObject({ status: 'applied', applied: 1, steps: ['applied'] });
    expect((await it.call('POST', '/data/rest/thing', bearers.get(TENANT), { a: 'x', b: 1 })).status).toBe(201);
  });

  test('drops only where it is asked to, and stops before a step whose risk was not confirmed', async () => {
    declare('a: { type: string }');
    const kept = await planned();
    expect(kept.steps).toEqual([]);
    const { plan_id, steps, max_risk } = await planned({ allow_drops: true });
    expect([max_risk, steps.map(({ Identifier }) => Identifier)]).toEqual(['high', ['b']]);
    const { status, json } = await apply(plan_id, 'low');
    expect([status, json]).toEqual([207, expect.objectContaining({ status: 'halted', steps_applied: 0 })]);
    expect((await apply(plan_id, 'high')).status).toBe(200);
  });

  test('to the revision of before takes a change back', async () => {
    declare('a: { type: string }, c: { type: integer }');
    const forth = await planned();
    expect((await apply(forth.plan_id, forth.max_risk)).status).toBe(200);
    const back = await planned({ to: 'former', allow_drops: true });
    expect(back.steps.map(({ Identifier }) => Identifier)).toContain('c');
    expect(back).toMatchObject({ revision: expect.stringMatching(/^[0-9a-f]{64}$/), serves: expect.any(String) });
    expect((await apply(back.plan_id, back.max_risk)).status).toBe(200);
    const { tenants } = (await it.call('GET', `/superadmin/node/tenants?q=${TENANT}`, root())).json as {
      tenants: { revision: string }[];
    };
    expect(tenants[0]!.revision).toBe((back as { revision?: string }).revision);
  });

  test('of definitions that cannot be served is refused with file and line', async () => {
    declare('a: { type: strin }');
    const { status, json } = await ask('POST', '', {});
    const { code, error } = json as { code: string; error: string };
    expect([status, code]).toEqual([422, 'product_refused']);
    expect(error).toMatch(/thing\.yaml:3/);
    declare('a: { type: string }');
  });
});

describe('refusals', () => {
  test.each([
    ['a body with a member that is none', 'POST', '', { revision: 'x' }, [400, 'bad_request']],
    ['a risk that is none', 'POST', '/x/apply', { confirm_max_risk: 'all' }, [400, 'bad_request']],
    ['a plan that is none, shown', 'GET', '/x', undefined, [409, 'deploy_failed']],
    ['a plan that is none, applied', 'POST', '/x/apply', { confirm_max_risk: 'low' }, [409, 'deploy_failed']],
  ] as const)('%s', async (_name, method, path, body, expected) => {
    expect(codeOf(await ask(method, path, body))).toEqual(expected);
  });

  test.each(['acme:shop:dev:none', PLANE, CONTROL_PLANE, 'x', 'acme:shop:dev:main:more'])(
    'no tenant: %s',
    async (key) => {
      expect(codeOf(await ask('POST', '', {}, root(), key))).toEqual([404, 'unknown_tenant']);
      expect(codeOf(await ask('GET', '/x', undefined, root(), key))).toEqual([404, 'unknown_tenant']);
    },
  );

  test('an operator of this product may, one of another and the tenant’s own superadmin may not', async () => {
    for (const [method, path, body] of [
      ['POST', '', {}],
      ['GET', '/x', undefined],
      ['POST', '/x/apply', { confirm_max_risk: 'low' }],
    ] as const) {
      const as = async (place: string): Promise<unknown> => codeOf(await ask(method, path, body, bearers.get(place)));
      expect(await as(OTHER_PLANE)).toEqual([403, 'requires_superadmin']);
      expect(await as(TENANT)).toEqual([403, 'requires_superadmin']);
      expect(await as(PLANE)).toEqual(path === '' ? [200, undefined] : [409, 'deploy_failed']);
    }
  });
});

test('who planned and applied is on record at the control plane, with the tenant', async () => {
  const { plan_id } = await planned();
  await apply(plan_id, 'low');
  const log = encodeURIComponent(`tenant/${CONTROL_PLANE.replaceAll(':', '/')}`);
  for (const action of ['auth.tenant_plan.after', 'auth.tenant_plan_apply.after']) {
    const found = async () => {
      const { json } = await it.call('GET', `/audit/logs/${log}/records?limit=500&action=${action}`, root());
      const { records } = json as { records: { target: string; outcome: string }[] };
      return records.map(({ target, outcome }) => `${target} ${outcome}`);
    };
    await expect.poll(found, { timeout: 10_000 }).toContain(`${TENANT} ok`);
  }
});

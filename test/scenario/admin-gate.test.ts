/** Who may call what of the admin and superadmin planes: every row with every role, over HTTP (data.md "Authentication"). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminRows } from '#actors/data/admin/routes.ts';
import { Operators } from '#test/kit/operators.ts';
import type { Role } from '#test/kit/operators.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';

let world: Operators;
beforeAll(async () => {
  world = await Operators.open({ hosts: 2 });
}, 60_000);
afterAll(() => world.node.stop());

/** data.md's class table: the roles that pass. */
const PASS: Readonly<Record<string, readonly Role[]>> = {
  Read: ['admin', 'superadmin'],
  Generate: ['admin', 'superadmin'],
  Seed: ['admin', 'superadmin'],
  Maintenance: ['admin', 'superadmin'],
  Apply: ['superadmin'],
  Retention: ['superadmin'],
  Locks: ['superadmin'],
};
const CODE = (of: string): string => (PASS[of]!.includes('admin') ? 'v2.requires_admin' : 'v2.requires_superadmin');
const pathOf = (path: string): string => path.slice('/data/'.length).replaceAll(/\{\w+\}/g, 'unknown');

describe.each(Object.entries(adminRows))('%s', (_name, row) => {
  const path = pathOf(row.path);
  // A body that no row takes: whoever passes the gate is told so, and nothing is done.
  const body = (row.body as string) === 'none' ? undefined : { no_such_member: 1 };

  test('nobody: the plain 401', async () => {
    const answer = await world.send('none', row.methods[0], path, body);
    expect([answer.status, answer.text]).toEqual([401, 'Unauthorized']);
  });

  test.each(['user', 'admin', 'superadmin'] as const)('called as %s', async (role) => {
    const answer = await world.send(role, row.methods[0], path, body);
    if (PASS[row.class]!.includes(role)) expect(answer.status).not.toBe(403);
    else expect([answer.status, answer.json.code]).toEqual([403, CODE(row.class)]);
  });

  test.each(['user', 'admin', 'superadmin', 'plane'] as const)('the mirror for %s', async (role) => {
    const answer = await world.send(role, row.methods[0], path.replace('admin/data', 'superadmin/tenant/other'), body);
    if (role === 'superadmin' || role === 'plane') expect(answer.status).not.toBe(403);
    else expect([answer.status, answer.json.code]).toEqual([403, 'v2.requires_superadmin']);
  });
});

describe('superadmin plane', () => {
  test('lists the tenants that are awake', async () => {
    await world.send('plane', 'GET', 'superadmin/tenant/other/hashes');
    const { status, json } = await world.send('plane', 'GET', 'superadmin/tenant');
    expect(status).toBe(200);
    expect(json.tenants).toEqual(expect.arrayContaining([TENANT, OTHER_TENANT]));
    expect(json.count).toBe(json.tenants.length);
    expect((await world.send('admin', 'GET', 'superadmin/tenant')).json.code).toBe('v2.requires_superadmin');
  });

  test('drops what a tenant keeps', async () => {
    const { status, json } = await world.send('plane', 'DELETE', 'superadmin/tenant/other/cache');
    expect([status, json]).toEqual([200, { invalidated: OTHER_TENANT }]);
    expect((await world.send('admin', 'DELETE', 'superadmin/tenant/other/cache')).status).toBe(403);
  });

  test.each([
    ['', 400, 'v2.missing_tenant'],
    [TENANT, 400, 'v2.invalid_tenant'],
    [encodeURIComponent(TENANT), 400, 'v2.invalid_tenant'],
    ['nobody', 403, 'v2.no_tenant'],
    ['sleeping', 403, 'v2.no_tenant'],
  ])('the tenant "%s" in the path: %i %s', async (tenant, status, code) => {
    const answer = await world.send('plane', 'GET', `superadmin/tenant/${tenant}/hashes`);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  test('answers of the tenant in the path, not of the caller', async () => {
    const { json } = await world.send('plane', 'GET', 'superadmin/tenant/other/references/category');
    expect(json).toMatchObject({ tenant: OTHER_TENANT, datastore: 'default', entity: 'category', count: 1 });
    expect(json.references).toEqual([
      { from_entity: 'item', from_field: 'category_id', to_field: 'id', on_delete: 'restrict' },
    ]);
  });
});

describe('reads of the admin plane', () => {
  test('references: sorted, 404 for an unknown entity, 400 for none', async () => {
    const { status, json } = await world.send('admin', 'GET', 'admin/data/references/item');
    expect([status, json.count, json.references]).toEqual([200, 0, []]);
    const unknown = await world.send('admin', 'GET', 'admin/data/references/nothing');
    expect([unknown.status, unknown.json.code]).toEqual([404, 'v2.entity_not_found']);
    expect((await world.send('admin', 'GET', 'admin/data/references/')).json.code).toBe('v2.bad_path');
  });

  test('actions: a tenant with no registry gives 0; applied steps need a plan_id', async () => {
    const { status, json } = await world.send('admin', 'GET', 'admin/data/actions');
    expect([status, json]).toEqual([200, { tenant: TENANT, datastore: 'default', count: 0, actions: [] }]);
    const applied = await world.send('admin', 'GET', 'admin/data/applied');
    expect([applied.status, applied.json.code]).toEqual([400, 'v2.missing_plan_id']);
    const unnamed = await world.send('superadmin', 'POST', 'admin/data/plans//apply', {});
    expect([unnamed.status, unnamed.json.code]).toEqual([400, 'v2.missing_plan_id']);
  });

  test('hashes: always 200, 0 and an empty array', async () => {
    const { status, json } = await world.send('admin', 'GET', 'admin/data/hashes?datastore=elsewhere');
    expect([status, json]).toEqual([200, { count: 0, hashes: [] }]);
  });

  test('a datastore that the tenant does not have: 404', async () => {
    const answer = await world.send('admin', 'GET', 'admin/data/references/item?datastore=elsewhere');
    expect([answer.status, answer.json.code]).toEqual([404, 'v2.datastore_not_found']);
    expect((await world.send('admin', 'GET', 'admin/data/references/item?datastore=default')).status).toBe(200);
  });
});

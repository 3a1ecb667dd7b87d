/** The callers of the admin and superadmin planes: every row with every role, over HTTP (docs/contract/data-admin.md §1). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#actors/data/routes.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { Operators, type Role } from '#test/kit/operators.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { ADMIN, SUPERADMIN, type Class, type ContractRow } from '#test/scenario/admin-contract/role-table.ts';

let world: Operators;
beforeAll(async () => {
  world = await Operators.open({ hosts: 2 });
}, 60_000);
afterAll(() => world.node.stop());

/** The roles that pass (docs/contract/data-admin.md §1). */
const PASS: Readonly<Record<Class, readonly Role[]>> = {
  Read: ['admin', 'superadmin'],
  Generate: ['admin', 'superadmin'],
  Seed: ['admin', 'superadmin'],
  Maintenance: ['admin', 'superadmin'],
  Apply: ['superadmin'],
  Retention: ['superadmin'],
  Locks: ['superadmin'],
};
const ROLES = ['none', 'user', 'admin', 'superadmin', 'plane'] as const;

/** A refused call without a credential is 401; with one, the answer names the role that is missing. */
async function expectGate(role: Role, passes: boolean, needs: string, row: ContractRow, path: string): Promise<void> {
  const answer = await world.send(role, row.method, path, row.body);
  const { status, text, json } = answer;
  if (role === 'none') expect([status, text]).toEqual([401, 'Unauthorized']);
  else if (!passes) expect([status, json.code]).toEqual([403, needs]);
  else expect([status, json.code], text).toEqual([row.status ?? 200, row.code ?? json.code]);
}

test('the planes have the rows of the contract and no others', () => {
  const paths = (rows: readonly Pick<ContractRow, 'method' | 'path'>[], plane: string): string[] =>
    rows.map(({ method, path }) => `${method} /data/${plane}/${path}`).toSorted();
  const declared = (plane: string): string[] =>
    Object.values<RouteRow>(routes)
      .filter(({ path }) => path.startsWith(`/data/${plane}/`))
      .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`))
      .toSorted();
  expect(declared('admin')).toEqual(paths(ADMIN, 'admin/data'));
  const mirror = paths(ADMIN, 'superadmin/tenant/{tenant}');
  expect(declared('superadmin')).toEqual([...mirror, ...paths(SUPERADMIN, 'superadmin')].toSorted());
});

describe.each(ADMIN)('$method /data/admin/data/$path', (row) => {
  const { ask = row.path, class: of } = row;
  const needs = PASS[of].includes('admin') ? 'v2.requires_admin' : 'v2.requires_superadmin';

  // A caller at the operator plane acts on that plane's own tenant: its answers are of another schema.
  test.each(ROLES.filter((role) => role !== 'plane'))('called as %s', (role) =>
    expectGate(role, PASS[of].includes(role), needs, row, `admin/data/${ask}`),
  );

  test.each(ROLES)('the mirror for %s', (role) =>
    expectGate(role, role === 'plane', 'v2.requires_superadmin', row, `superadmin/tenant/other/${ask}`),
  );

  test.each(ROLES)('the mirror of the own tenant for %s', (role) =>
    expectGate(
      role,
      role === 'superadmin' || role === 'plane',
      'v2.requires_superadmin',
      row,
      `superadmin/tenant/main/${ask}`,
    ),
  );
});

describe.each(SUPERADMIN)('$method /data/superadmin/$path', (row) => {
  test.each(ROLES)('called as %s', (role) =>
    expectGate(
      role,
      role === 'plane' || (role === 'superadmin' && row.path === 'tenant'),
      'v2.requires_superadmin',
      { ...row, class: 'Read' },
      `superadmin/${row.ask ?? row.path}`,
    ),
  );
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
    ['absent', 403, 'v2.no_tenant'],
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

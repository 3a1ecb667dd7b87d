/** What the pages of products know without a page: products by their tenants, what logs say was done to them, where the gateway is. */
import { expect, test } from 'vitest';
import { gatewayAt } from '#console/node/gateway.ts';
import { changesOf, newestFirst } from '#console/products/change.ts';
import { productsOf } from '#console/products/group.ts';
import { planeLogOf, productAddress, productOf } from '#console/products/paths.ts';
import type { Tenant } from '#console/tenants/shapes.ts';

const tenant = (key: string, revision: string | null, product_source: string | null = '/srv/shop'): Tenant => {
  const [customer = '', product = '', env = '', name = ''] = key.split(':');
  return {
    key,
    customer,
    product,
    env,
    tenant: name,
    revision,
    product_source,
    state: 'active',
    standing: 'serving',
    created_at: '2026-11-28T10:00:00Z',
    shard: 0,
    host: 'host-0',
  };
};

test('products are those that tenants run, the revision of most tenants first', () => {
  const found = productsOf([
    tenant('b:shop:dev:one', 'r2'),
    tenant('a:shop:dev:one', 'r1'),
    tenant('a:shop:dev:two', 'r2'),
    tenant('a:shop:dev:three', 'r2', '/srv/other'),
    tenant('a:shop:dev:new', null),
    tenant('a:shop:dev:superadmin', null, null),
    tenant('a:shop:prod:one', null),
  ]);
  expect(found.map(({ key, tenants }) => [key, tenants.length])).toEqual([
    ['a:shop:dev', 4],
    ['a:shop:prod', 1],
    ['b:shop:dev', 1],
  ]);
  expect(found[0]?.revisions).toEqual([
    { revision: 'r2', tenants: 2 },
    { revision: 'r1', tenants: 1 },
  ]);
  expect(found[0]?.sources).toEqual(['/srv/shop', '/srv/other']);
  expect(found[1]?.revisions).toEqual([]);
  expect(productsOf([])).toEqual([]);
});

test('changes of two logs, newest first; other records are none', () => {
  const record = (seq: number, ts: string, action: string, target: string, data: object = {}) => ({
    id: `${action} ${seq}`,
    seq,
    ts,
    tenant: '',
    source: 's',
    source_seq: seq,
    actor: 'ann',
    outcome: 'ok',
    action,
    target,
    request_id: '',
    data: { ...data },
  });
  const plane = changesOf('plane', [
    record(3, '2026-11-28T10:00:03Z', 'auth.deploy_apply.after', 'a:shop:dev:one', { plan: 'p1' }),
    record(2, '2026-11-28T10:00:02Z', 'auth.deploy_plan.after', 'a:shop:dev:one', { revision: 'r2' }),
    record(1, '2026-11-28T10:00:01Z', 'auth.deploy_revision.after', 'r2', { files: 3 }),
    record(0, '2026-11-28T10:00:00Z', 'auth.deploy_tenants.after', ''),
  ]);
  const control = changesOf('control', [
    record(9, '2026-11-28T10:00:04Z', 'auth.tenant_plan_apply.after', 'a:shop:dev:one', { plan: 'p2' }),
    record(8, '2026-11-28T10:00:02Z', 'auth.tenant_plan_apply.after', 'a:shop:dev:two', { plan: 'p3' }),
  ]);
  const all = newestFirst([...plane, ...control]);
  expect(all.map(({ log, kind, tenant: of, revision, plan }) => [log, kind, of, revision, plan])).toEqual([
    ['control', 'led', 'a:shop:dev:one', null, 'p2'],
    ['plane', 'applied', 'a:shop:dev:one', null, 'p1'],
    ['control', 'led', 'a:shop:dev:two', null, 'p3'],
    ['plane', 'planned', 'a:shop:dev:one', 'r2', null],
    ['plane', 'sent', null, 'r2', null],
  ]);
});

test('addresses, and where the gateway is', () => {
  expect(productAddress(productOf('a:shop:dev:one'))).toBe('/products/a/shop/dev');
  expect(planeLogOf('a:shop:dev')).toBe('tenant/a/shop/dev/superadmin');
  const at = { protocol: 'https:', hostname: 'node.example.org' };
  expect(gatewayAt(at, '[::]:8443')).toBe('https://node.example.org:8443');
  expect(gatewayAt(at, undefined)).toBe('https://node.example.org:8080');
});

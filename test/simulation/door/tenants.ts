/** Where requests go: tenants of the node, one that is not active, one that no file names, and no place at all. */
import { positionOf } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Random } from '#test/kit/random.ts';

export interface Where {
  readonly what: 'tenant' | 'inactive' | 'unknown' | 'malformed' | 'none';
  /** The tenant's number; 0 elsewhere. */
  readonly tenantNo: number;
  /** Header fields of the position. */
  readonly fields: readonly (readonly [string, string])[];
}

const FIRST_NO = 10;

/** `shards`: how many the node has. */
export function entriesOf(tenants: number, shards: number): TenantEntry[] {
  return Array.from({ length: tenants }, (_, at) => ({
    no: FIRST_NO + at,
    position: positionOf('acme', 'shop', 'dev', `door${at}`)!,
    shard: at % shards,
    state: 'active' as const,
    localdir: null,
  }));
}

export const inactive = (no: number): TenantEntry => ({
  no,
  position: positionOf('acme', 'shop', 'dev', 'left')!,
  shard: 0,
  state: 'deleting',
  localdir: null,
});

export function whereOf(random: Random, entries: readonly TenantEntry[]): Where {
  if (random.chance(0.95)) {
    const { no, position } = random.pick(entries);
    return { what: 'tenant', tenantNo: no, fields: fieldsOf(position.tenant) };
  }
  const what = random.pick(['inactive', 'unknown', 'malformed', 'none'] as const);
  const tenant = { inactive: 'left', unknown: 'stranger', malformed: 'T!', none: '' }[what];
  return { what, tenantNo: 0, fields: what === 'none' ? [] : fieldsOf(tenant) };
}

const fieldsOf = (tenant: string): Where['fields'] => [
  ['x-customer', 'acme'],
  ['x-product', 'shop'],
  ['x-env', 'dev'],
  ['x-tenant', tenant],
];

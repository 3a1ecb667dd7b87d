/** `skep tenant list`: the tenants of a node, without planes. */
import type { Command } from 'commander';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { shownVerb } from './operator-verb.ts';
import { standingRow } from './tenant-standing.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = [
  'tenant',
  'state',
  'shard',
  'standing',
  'product_source',
  'created_at',
  'standing_since',
  'reason',
  'requests_per_day',
];

/** What is registered of a tenant. */
export function tenantRow({ position, state, shard, localdir, since, ...entry }: TenantEntry) {
  return {
    tenant: position.key,
    state,
    ...standingRow(entry),
    shard,
    product_source: localdir,
    created_at: since === undefined ? null : new Date(since).toISOString(),
  };
}

export function addTenantList(tenant: Command, terminal: Terminal): void {
  shownVerb(tenant, terminal, {
    name: 'list',
    what: 'list every registered tenant with its state, how it stands (serving, suspended, read-only), its shard and the place of its product',
    example: 'skep tenant list -f platform.yaml -o json',
    columns: COLUMNS,
    show: async (ask) => {
      const tenants = (await ask('tenant.list', null)) as readonly TenantEntry[];
      const rows = tenants.map((entry) => ({ ...tenantRow(entry), requests_per_day: entry.quota?.requests ?? null }));
      return rows.sort((a, b) => (a.tenant < b.tenant ? -1 : 1));
    },
  });
}

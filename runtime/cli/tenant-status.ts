/** `skep tenant status`: all that is known of one tenant. Spec: docs/contract/tenants.md §1.4. */
import type { Command } from 'commander';
import type { TenantStatus } from '#runtime/tenant-status.ts';
import { askNode, operatorVerb, platformOf, tenantKey, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import { tenantRow } from './tenant-list.ts';
import { quotaRow } from './tenant-quota.ts';
import type { Terminal } from './terminal.ts';

export function addTenantStatus(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'status',
    'show one tenant: its state and standing, what it used today (UTC), its quotas, and what of it works less than it should',
    'skep tenant status -f platform.yaml acme:atlas:dev:main',
  )
    .argument('<tenant>', 'customer:product:env:tenant', tenantKey)
    .action(async (key: string, { file, output }: OperatorOptions) => {
      const platform = await platformOf(file, terminal);
      const status = (await askNode(platform, 'tenant.status', { tenant: key })) as TenantStatus;
      terminal.out(output === 'json' ? renderRecord(recordOf(status), output) : textOf(status));
    });
}

const recordOf = ({ entry, today, degraded }: TenantStatus): Row => ({
  ...tenantRow(entry),
  today: used(today),
  quota: quotaRow(entry.quota),
  degraded: degraded.map(({ scope, name, reason, since }) => ({ scope, name, reason, since })),
});

/** What is degraded stands below the record, a line each. */
function textOf({ entry, today, degraded }: TenantStatus): string {
  const counts = Object.entries(used(today)).map(([name, count]) => [`${name}_today`, count]);
  const record = { ...tenantRow(entry), ...Object.fromEntries(counts), ...quotaRow(entry.quota) };
  const lines = degraded.map(
    ({ scope, name, reason, since }) => `degraded since ${since}: ${scope} ${name}: ${reason}\n`,
  );
  return renderRecord(record, 'table') + lines.join('');
}

function used(today: TenantStatus['today']): Readonly<Record<string, number>> {
  if (today === null) return {};
  const { tenant: _tenant, day: _day, ...counts } = today;
  return counts;
}

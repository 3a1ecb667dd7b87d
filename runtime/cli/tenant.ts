/** `skep tenant …`. Spec: docs/contract/identity.md §10.4. */
import type { Command } from 'commander';
import { operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import { addPersonOptions, type PersonOptions } from './person-options.ts';
import { addTenantCopies } from './tenant-copy.ts';
import { addTenantList } from './tenant-list.ts';
import { addTenantQuota } from './tenant-quota.ts';
import { addTenantStanding } from './tenant-standing.ts';
import { addTenantStatus } from './tenant-status.ts';
import { addTenantUsage } from './tenant-usage.ts';
import type { Terminal } from './terminal.ts';

interface ProvisionOptions extends OperatorOptions, PersonOptions {
  readonly tenant: string;
}

const EXAMPLE = 'skep tenant provision -f platform.yaml --tenant acme:atlas:dev:main --email ann@example.org';

export function addTenant(program: Command, terminal: Terminal): void {
  const tenant = program.command('tenant').description('tenants of a node').enablePositionalOptions();
  const provision = operatorVerb(
    tenant,
    'provision',
    'register a tenant, make its stores, seed its administrator and activate it; safe to run again (for rows of the product: skep data seed run)',
    EXAMPLE,
  );
  addPersonOptions(provision.addOption(tenantOption().makeOptionMandatory()), 'the tenant administrator').action(
    async (options: ProvisionOptions) => {
      const platform = await platformOf(options.file, terminal);
      const { tenantProvision } = await import('./tenant-provision.ts');
      terminal.out(renderRecord(await tenantProvision(platform, options, terminal), options.output));
    },
  );
  addTenantList(tenant, terminal);
  addTenantStatus(tenant, terminal);
  addTenantStanding(tenant, terminal);
  addTenantQuota(tenant, terminal);
  addTenantUsage(tenant, terminal);
  addTenantCopies(tenant, terminal);
}

/** `skep tenant quota`: what a tenant may use within a day. Spec: docs/contract/tenants.md §3. */
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { QuotaWish } from '#actors/identity/tenant-quota.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { askNode, operatorVerb, platformOf, tenantKey } from './operator-verb.ts';
import type { OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import type { Terminal } from './terminal.ts';

export function addTenantQuota(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'quota',
    'bound how many requests of a tenant are served within a day (UTC); more are refused (429 tenant_quota) until midnight',
    'skep tenant quota -f platform.yaml acme:atlas:dev:main requests=100000',
  )
    .argument('<tenant>', 'customer:product:env:tenant', tenantKey)
    .argument('<quota>', 'requests=<number>, or requests=none', quotaOf)
    .action(async (key: string, requests: number | null, { file, output }: OperatorOptions) => {
      const platform = await platformOf(file, terminal);
      const wish: QuotaWish = { key, requests };
      const { position, quota } = (await askNode(platform, 'tenant.quota', wish)) as TenantEntry;
      terminal.out(renderRecord({ tenant: position.key, requests_per_day: quota?.requests ?? null }, output));
    });
}

function quotaOf(text: string): number | null {
  const value = /^requests=(none|\d{1,15})$/.exec(text)?.[1];
  if (value === undefined) throw new InvalidArgumentError('write requests=100000, or requests=none');
  return value === 'none' ? null : Number(value);
}

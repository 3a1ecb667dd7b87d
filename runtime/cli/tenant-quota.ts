/** `skep tenant quota`: what a tenant may use. Spec: docs/contract/tenants.md §3. */
import { InvalidArgumentError, type Command } from 'commander';
import type { QuotaWish } from '#actors/identity/tenant-quota.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { QUOTAS, type Quota, type QuotaName } from '#actors/protocol/usage.ts';
import { shownVerb, tenantKey, type OperatorOptions } from './operator-verb.ts';
import type { Row } from './output.ts';
import type { Terminal } from './terminal.ts';

const NAMES = Object.keys(QUOTAS) as readonly QuotaName[];

/** A quota as the command line writes it: `requests`, `requests/month`, `rows`. */
const written = (name: QuotaName): string => name.replace(/_month$/, '/month');

export function addTenantQuota(tenant: Command, terminal: Terminal): void {
  shownVerb<OperatorOptions, [string, QuotaWish['set'] | undefined]>(tenant, terminal, {
    name: 'quota',
    what: 'bound what a tenant uses within a day or a month (UTC), and how much it has; without a quota it shows those that are set',
    example: 'skep tenant quota -f platform.yaml acme:atlas:dev:main requests=100000 requests/month=2000000 rows=50000',
    show: async (ask, _options, key, set = {}) => {
      const wish: QuotaWish = { key, set };
      const { position, quota } = (await ask('tenant.quota', wish)) as TenantEntry;
      return { tenant: position.key, ...quotaRow(quota) };
    },
  })
    .argument('<tenant>', 'customer:product:env:tenant', tenantKey)
    .argument('[quota...]', `${NAMES.map(written).join(', ')}: =<number>, or =none`, quotaOf);
}

/** The quotas of a tenant as columns; that of requests is always one. */
export function quotaRow(quota: Quota | undefined): Row {
  const shown = NAMES.filter((name) => name === 'requests' || quota?.[name] !== undefined);
  return Object.fromEntries(shown.map((name) => [columnOf(name), quota?.[name] ?? null]));
}

function columnOf(name: QuotaName): string {
  const { of, per } = QUOTAS[name];
  return per === null ? `${of}_max` : `${of}_per_${per}`;
}

function quotaOf(text: string, before: QuotaWish['set'] | undefined): QuotaWish['set'] {
  const [, name, value] = /^([a-z_/]+)=(none|\d{1,15})$/.exec(text) ?? [];
  const known = NAMES.find((one) => written(one) === name);
  if (known === undefined || value === undefined)
    throw new InvalidArgumentError(`write requests=100000, or requests=none; quotas: ${NAMES.map(written).join(', ')}`);
  return { ...before, [known]: value === 'none' ? null : Number(value) };
}

/** `skep tenant suspend|read-only|resume`: how a tenant stands with its operators. Spec: docs/contract/tenants.md §1. */
import type { Command } from 'commander';
import type { StandingWish } from '#actors/identity/tenant-standing.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { shownVerb, tenantKey, type OperatorOptions } from './operator-verb.ts';
import type { Row } from './output.ts';
import type { Terminal } from './terminal.ts';

const VERBS = [
  {
    name: 'suspend',
    standing: 'suspended',
    what: 'refuse every request of a tenant (403 tenant_suspended) until it is resumed; its mails and webhooks wait, its data stays',
    reason: 'billing',
  },
  {
    name: 'read-only',
    standing: 'read-only',
    what: 'let a tenant read and log in, and refuse whatever writes (403 tenant_read_only) until it is resumed',
    reason: 'plan ended',
  },
  {
    name: 'resume',
    standing: null,
    what: 'let a tenant that is suspended or read-only serve as before; mails and webhooks that waited leave',
    reason: 'paid',
  },
] as const;

export function addTenantStanding(tenant: Command, terminal: Terminal): void {
  for (const { name, standing, what, reason } of VERBS)
    shownVerb(tenant, terminal, {
      name,
      what,
      example: `skep tenant ${name} -f platform.yaml acme:atlas:dev:main --reason "${reason}"`,
      show: async (ask, { reason: given }: OperatorOptions & { reason?: string }, key) => {
        const wish: StandingWish = { key, standing, reason: given ?? null };
        const { position, state, ...entry } = (await ask('tenant.stand', wish)) as TenantEntry;
        return { tenant: position.key, state, ...standingRow(entry) };
      },
    })
      .argument('<tenant>', 'customer:product:env:tenant', tenantKey)
      .option('--reason <text>', 'for the audit log and `skep tenant list`; callers are not told it');
}

/** The columns of `skep tenant list` that say how a tenant stands. */
export function standingRow({
  standing,
  standing_since,
  reason,
}: Pick<TenantEntry, 'standing' | 'standing_since' | 'reason'>): Row {
  return { standing: standing ?? 'serving', standing_since: standing_since ?? null, reason: reason ?? null };
}

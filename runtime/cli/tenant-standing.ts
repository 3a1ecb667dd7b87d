/** `skep tenant suspend|read-only|resume`: how a tenant stands with its operators. Spec: docs/contract/tenants.md §1. */
import type { Command } from 'commander';
import type { StandingWish } from '#actors/identity/tenant-standing.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { askNode, operatorVerb, platformOf, tenantKey, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
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
    operatorVerb(tenant, name, what, `skep tenant ${name} -f platform.yaml acme:atlas:dev:main --reason "${reason}"`)
      .argument('<tenant>', 'customer:product:env:tenant', tenantKey)
      .option('--reason <text>', 'for the audit log and `skep tenant list`; callers are not told it')
      .action(async (key: string, { reason: given, file, output }: OperatorOptions & { reason?: string }) => {
        const platform = await platformOf(file, terminal);
        const wish: StandingWish = { key, standing, reason: given ?? null };
        terminal.out(renderRecord(shown((await askNode(platform, 'tenant.stand', wish)) as TenantEntry), output));
      });
}

function shown({ position, state, ...entry }: TenantEntry): Row {
  return { tenant: position.key, state, ...standingRow(entry) };
}

/** The columns of `skep tenant list` that say how a tenant stands. */
export function standingRow({
  standing,
  standing_since,
  reason,
}: Pick<TenantEntry, 'standing' | 'standing_since' | 'reason'>): Row {
  return { standing: standing ?? 'serving', standing_since: standing_since ?? null, reason: reason ?? null };
}

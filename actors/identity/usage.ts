/** The usage of tenants in the control plane, a record for each tenant and day: asks of main, each of them bounded. Spec: docs/contract/tenants.md §2. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import type { UsagePage, UsageRow } from '#actors/protocol/usage.ts';
import { deleteUsage, findUsage, putUsage, scanUsage } from './store.ts';

/** Adds counts to the records of their days. */
function add(work: Work, rows: readonly UsageRow[]): null {
  const turn = work.turn();
  for (const { day, tenant, requests, mails, webhooks } of rows) {
    const before = findUsage(turn, day, tenant);
    putUsage(turn, {
      day,
      tenant,
      requests: (before?.requests ?? 0) + requests,
      mails: (before?.mails ?? 0) + mails,
      webhooks: (before?.webhooks ?? 0) + webhooks,
    });
  }
  return null;
}

interface PageWish {
  readonly tenant: string | null;
  readonly from: string;
  readonly to: string;
  readonly after: UsagePage['next'];
}

/** Records of days from `from` to `to`; a page may hold none of the tenant and still not be the last. */
function page(work: Work, { tenant, from, to, after }: PageWish): UsagePage {
  const rows: UsageRow[] = [];
  let seen = 0;
  for (const row of scanUsage(work.turn(), after ?? { day: from, tenant: '' })) {
    if (row.day > to) return { rows, next: null };
    if (after !== null && row.day === after.day && row.tenant === after.tenant) continue;
    if (tenant === null || row.tenant === tenant) rows.push(row);
    if (++seen === limits.usage.pageRows) return { rows, next: { day: row.day, tenant: row.tenant } };
  }
  return { rows, next: null };
}

/** Deletes some records of days before one; true when there are more. */
function prune(work: Work, { before }: { readonly before: string }): boolean {
  const turn = work.turn();
  turn.frees = true;
  const old: UsageRow[] = [];
  for (const row of scanUsage(turn, { day: '', tenant: '' })) {
    if (row.day >= before || old.length === limits.usage.pageRows) break;
    old.push(row);
  }
  for (const row of old) deleteUsage(turn, row);
  return old.length === limits.usage.pageRows;
}

export const usageAsks = { 'usage.add': add, 'usage.page': page, 'usage.prune': prune };

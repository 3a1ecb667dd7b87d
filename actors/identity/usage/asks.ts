/** The usage of tenants in the control plane, a record for each tenant and day, and one for each month: asks of main, each of them bounded. Spec: docs/contract/tenants.md §2. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { COUNTED, noCounts } from '#actors/protocol/usage.ts';
import type { Counted, Counts, MonthPage, MonthRow, UsagePage, UsageRow } from '#actors/protocol/usage.ts';
import { deleteMonth, deleteUsage, findMonth, findUsage, putMonth, putUsage, scanMonth, scanUsage } from './store.ts';
import type { Reader, Turn } from './store.ts';

const MONTH_CHARS = 7;
const DAYS_MAX = 31;

/**
 * Adds counts to the records of their days and months. Gives what was stored of a month by days alone, before months had records:
 * main knows nothing of it yet.
 */
function add(work: Work, rows: readonly UsageRow[]): MonthRow[] {
  const turn = work.turn();
  const found: MonthRow[] = [];
  for (const row of rows) {
    const earlier = addToMonth(turn, row);
    if (earlier !== null) found.push(earlier);
    addToDay(turn, row);
  }
  return found;
}

function addToDay(turn: Turn, row: UsageRow): void {
  const before = findUsage(turn, row.day, row.tenant);
  putUsage(turn, {
    day: row.day,
    tenant: row.tenant,
    ...sum(before ?? noCounts(), row),
    rows: Math.max(before?.rows ?? 0, row.rows),
    bytes: Math.max(before?.bytes ?? 0, row.bytes),
  });
}

/** Before `addToDay` of the same row, since the first record of a month is made of its days. */
function addToMonth(turn: Turn, row: UsageRow): MonthRow | null {
  const month = row.day.slice(0, MONTH_CHARS);
  const { tenant } = row;
  const present = findMonth(turn, month, tenant);
  const before = present ?? { month, tenant, ...sumOfDays(turn, month, tenant) };
  putMonth(turn, { month, tenant, ...sum(before, row) });
  return present === undefined && COUNTED.some((name) => before[name] > 0) ? before : null;
}

function sumOfDays(reader: Reader, month: string, tenant: string): Counts {
  let total: Counts = noCounts();
  for (let day = 1; day <= DAYS_MAX; day++) {
    const row = findUsage(reader, `${month}-${String(day).padStart(2, '0')}`, tenant);
    if (row !== undefined) total = sum(total, row);
  }
  return total;
}

function sum(a: Counts, b: Counts): Record<Counted, number> {
  const total = noCounts();
  for (const name of COUNTED) total[name] = a[name] + b[name];
  return total;
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

/** What tenants have used in a month. */
function months(work: Work, { month, after }: { readonly month: string; readonly after: string | null }): MonthPage {
  const rows: MonthRow[] = [];
  for (const row of scanMonth(work.turn(), month, after ?? '')) {
    if (row.month !== month) break;
    if (row.tenant === after) continue;
    rows.push(row);
    if (rows.length === limits.usage.pageRows) return { rows, next: row.tenant };
  }
  return { rows, next: null };
}

/** Deletes some records of days before one, and of the months before its month; true when there are more. */
function prune(work: Work, { before }: { readonly before: string }): boolean {
  const turn = work.turn();
  turn.frees = true;
  const days = someBefore(scanUsage(turn, { day: '', tenant: '' }), ({ day }) => day < before);
  const old = someBefore(scanMonth(turn, '', ''), ({ month }) => month < before.slice(0, MONTH_CHARS));
  for (const row of days) deleteUsage(turn, row);
  for (const row of old) deleteMonth(turn, row);
  return days.length === limits.usage.pageRows || old.length === limits.usage.pageRows;
}

function someBefore<T>(rows: Iterable<T>, isOld: (row: T) => boolean): T[] {
  const old: T[] = [];
  for (const row of rows) {
    if (!isOld(row) || old.length === limits.usage.pageRows) break;
    old.push(row);
  }
  return old;
}

export const usageAsks = { 'usage.add': add, 'usage.page': page, 'usage.months': months, 'usage.prune': prune };

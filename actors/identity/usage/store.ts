/** The tables of usage in the control plane. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';
import { noCounts, type MonthRow, type UsageRow } from '#actors/protocol/usage.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** A record of before a count was kept lacks that count. */
type StoredDay = Pick<UsageRow, 'day' | 'tenant'> & Partial<UsageRow>;

const days = new Table<StoredDay>('usage', TABLES.usage);
const months = new Table<MonthRow>('usage_month', TABLES.usage_month);

const whole = (stored: StoredDay): UsageRow => ({ ...noCounts(), rows: 0, bytes: 0, ...stored });

export function findUsage(reader: Reader, day: string, tenant: string): UsageRow | undefined {
  const stored = days.get(reader, day, tenant);
  return stored === undefined ? undefined : whole(stored);
}

export function putUsage(turn: Turn, row: UsageRow): void {
  days.put(turn, row, row.day, row.tenant);
}

export function deleteUsage(turn: Turn, { day, tenant }: UsageRow): void {
  days.del(turn, day, tenant);
}

/** Records from a day and tenant on, in the order of days, then of tenants. */
export function* scanUsage(
  reader: Reader,
  { day, tenant }: Pick<UsageRow, 'day' | 'tenant'>,
): IterableIterator<UsageRow> {
  for (const stored of days.scanFrom(reader, [day, tenant])) yield whole(stored);
}

export function findMonth(reader: Reader, month: string, tenant: string): MonthRow | undefined {
  return months.get(reader, month, tenant);
}

export function putMonth(turn: Turn, row: MonthRow): void {
  months.put(turn, row, row.month, row.tenant);
}

export function deleteMonth(turn: Turn, { month, tenant }: Pick<MonthRow, 'month' | 'tenant'>): void {
  months.del(turn, month, tenant);
}

/** Records from a month and tenant on, in the order of months, then of tenants. */
export function* scanMonth(reader: Reader, month: string, tenant: string): IterableIterator<MonthRow> {
  yield* months.scanFrom(reader, [month, tenant]);
}

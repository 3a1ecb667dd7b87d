/** `skep tenant usage`: what tenants have used, a row for each tenant and day, or month. Spec: docs/contract/tenants.md §2. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { COUNTED, KEPT, noCounts, type Counts, type Kept, type UsageRow } from '#actors/protocol/usage.ts';
import type { UsageWish } from '#runtime/usage/usage-keeper.ts';
import { askNode, platformOf, tenantKey } from './operator-verb.ts';
import { renderRows } from './output.ts';
import type { Terminal } from './terminal.ts';

interface UsageOptions {
  readonly file: string;
  readonly month?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by: By;
  readonly output: 'table' | 'json' | 'csv' | 'jsonl';
}

type By = 'day' | 'month';
type Shown = Record<string, string | number>;

/** Earlier programs read the first five columns by their place. */
const USED = ['requests', 'mails', 'webhooks', 'processor_ms', 'outside_calls', 'rows', 'bytes'] as const;

export function addTenantUsage(tenant: Command, terminal: Terminal): void {
  tenant
    .command('usage')
    .description('show what tenants have used, a row for each tenant and day or month (UTC); kept for 400 days')
    .requiredOption('-f, --file <file>', 'the platform file')
    .argument('[tenant]', 'customer:product:env:tenant; all tenants when absent', tenantKey)
    .addOption(new Option('--month <month>', 'as 2026-11; this month when absent').argParser(monthOf))
    .addOption(new Option('--from <day>', 'the first day, as 2026-11-25').argParser(dayOf).conflicts('month'))
    .addOption(new Option('--to <day>', 'the last day; today when absent').argParser(dayOf).conflicts('month'))
    .addOption(new Option('--by <span>', 'what a row is of').choices(['day', 'month']).default('day'))
    .addOption(
      new Option('-o, --output <format>', 'how to print').choices(['table', 'json', 'jsonl', 'csv']).default('table'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  skep tenant usage -f platform.yaml --month 2026-11 --by month -o csv > 2026-11.csv\n',
    )
    .action(async (key: string | undefined, { file, by, output, ...span }: UsageOptions) => {
      const platform = await platformOf(file, terminal);
      const wish: UsageWish = { tenant: key ?? null, ...daysOf(span) };
      const rows = (await askNode(platform, 'tenant.usage', wish)) as readonly UsageRow[];
      terminal.out(rendered(by === 'month' ? monthly(rows) : rows.map((row) => ({ ...row })), by, output));
    });
}

/** Days of the wish, both included: those of a month, or from one day to another. */
function daysOf({ month, from, to }: Pick<UsageOptions, 'month' | 'from' | 'to'>): Pick<UsageWish, 'from' | 'to'> {
  const today = new Date(Date.now()).toISOString().slice(0, 10);
  if (from !== undefined || to !== undefined) return { from: from ?? '', to: to ?? today };
  const of = month ?? today.slice(0, 7);
  return { from: `${of}-01`, to: `${of}-31` };
}

/** Days added up; of rows and bytes the most. In the order of months, then of tenants. */
function monthly(rows: readonly UsageRow[]): Shown[] {
  const months = new Map<string, { month: string; tenant: string } & Record<keyof Counts | Kept, number>>();
  for (const row of rows) {
    const month = row.day.slice(0, 7);
    const name = `${month} ${row.tenant}`;
    const sums = months.get(name) ?? { month, tenant: row.tenant, ...noCounts(), rows: 0, bytes: 0 };
    for (const one of COUNTED) sums[one] += row[one];
    for (const one of KEPT) sums[one] = Math.max(sums[one], row[one]);
    months.set(name, sums);
  }
  return [...months].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums);
}

function rendered(rows: readonly Shown[], by: By, output: UsageOptions['output']): string {
  const columns = [by, 'tenant', ...USED];
  if (output === 'csv') return csv(rows, columns);
  const ordered = rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]!])));
  if (output === 'jsonl') return ordered.map((row) => `${JSON.stringify(row)}\n`).join('');
  return renderRows(ordered, output, columns);
}

/** RFC 4180; no value needs quotes. */
const csv = (rows: readonly Shown[], columns: readonly string[]): string =>
  [columns, ...rows.map((row) => columns.map((name) => row[name]))].map((line) => `${line.join(',')}\r\n`).join('');

function monthOf(text: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('a month is written as 2026-11');
}

function dayOf(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('a day is written as 2026-11-25');
}

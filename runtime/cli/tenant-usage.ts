/** `skep tenant usage`: what tenants have used, a row for each tenant and day. Spec: docs/contract/tenants.md §2. */
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { UsageRow } from '#actors/protocol/usage.ts';
import type { UsageWish } from '#runtime/usage/usage-keeper.ts';
import { askNode, platformOf, tenantKey } from './operator-verb.ts';
import { renderRows } from './output.ts';
import type { Terminal } from './terminal.ts';

interface UsageOptions {
  readonly file: string;
  readonly month?: string;
  readonly output: 'table' | 'json' | 'csv';
}

const COLUMNS = ['day', 'tenant', 'requests', 'mails', 'webhooks'] as const;

export function addTenantUsage(tenant: Command, terminal: Terminal): void {
  tenant
    .command('usage')
    .description('show what tenants have used in a month (UTC), a row for each tenant and day; kept for 400 days')
    .requiredOption('-f, --file <file>', 'the platform file')
    .argument('[tenant]', 'customer:product:env:tenant; all tenants when absent', tenantKey)
    .addOption(new Option('--month <month>', 'as 2026-11; this month when absent').argParser(monthOf))
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['table', 'json', 'csv']).default('table'))
    .addHelpText('after', '\nExample:\n  skep tenant usage -f platform.yaml --month 2026-11 -o csv > 2026-11.csv\n')
    .action(async (key: string | undefined, { file, month, output }: UsageOptions) => {
      const platform = await platformOf(file, terminal);
      const of = month ?? new Date(Date.now()).toISOString().slice(0, 7);
      const wish: UsageWish = { tenant: key ?? null, from: `${of}-01`, to: `${of}-31` };
      const rows = (await askNode(platform, 'tenant.usage', wish)) as readonly UsageRow[];
      terminal.out(
        output === 'csv'
          ? csv(rows)
          : renderRows(
              rows.map((row) => ({ ...row })),
              output,
              COLUMNS,
            ),
      );
    });
}

function monthOf(text: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('a month is written as 2026-11');
}

/** RFC 4180; no value needs quotes. */
const csv = (rows: readonly UsageRow[]): string =>
  [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))].map((line) => `${line.join(',')}\r\n`).join('');

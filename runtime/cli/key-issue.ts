/** `skep key issue`: makes an API key of a tenant, including the first one with `is_superadmin`. */
import { InvalidArgumentError, type Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import { roleOption } from './role-option.ts';
import type { Terminal } from './terminal.ts';

interface IssueOptions extends OperatorOptions {
  readonly tenant: string;
  readonly role?: readonly string[];
  readonly scope?: readonly string[];
  readonly superadmin?: true;
  readonly service?: string;
  readonly days?: number;
}

export function addKeyIssue(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'issue',
    'make an API key, shown once; it may have any role and scope, and be a superadmin',
    'skep key issue -f platform.yaml --tenant acme:atlas:dev:main --service ci --scope acme:dev:atlas:main --days 30',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(roleOption('roles of the key'))
    .option('--scope <grant...>', 'grants customer:env:product:tenant, * as wildcard; they make it a service key')
    .option('--superadmin', 'make the key a superadmin of its tenant or plane')
    .option('--service <tag>', 'what the key is for')
    .option('--days <number>', 'lifetime in days; by default a year', days)
    .action(async ({ file, tenant, role, scope, superadmin, service, days: life, output }: IssueOptions) => {
      const platform = await platformOf(file, terminal);
      const capabilities = { roles: role, scope, is_superadmin: superadmin };
      const body = { tenant, service, capabilities, expires_in_days: life };
      terminal.out(renderRecord((await askNode(platform, 'key.issue', body)) as Row, output));
    });
}

/** A number of days of a command line. */
export function days(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('write a number of days from 1, for example 30');
}

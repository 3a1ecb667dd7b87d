/** `skep key issue`: an API key of a tenant, the first with `is_superadmin` among them. */
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption } from './operator-verb.ts';
import type { OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import type { Row } from './output.ts';
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
    'make an API key, shown once; an operator may give it any role and scope, and make it a superadmin',
    'skep key issue -f platform.yaml --tenant acme:atlas:dev:main --service ci --scope acme:dev:atlas:main --days 30',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(roleOption('roles of the key'))
    .option('--scope <grant...>', 'customer:env:product:tenant, * as wildcard: makes it a service key')
    .option('--superadmin', 'the key is a superadmin where it was made')
    .option('--service <tag>', 'what the key is for')
    .option('--days <number>', 'how long it lives; a year when left out', days)
    .action(async ({ file, tenant, role, scope, superadmin, service, days: life, output }: IssueOptions) => {
      const platform = await platformOf(file, terminal);
      const capabilities = { roles: role, scope, is_superadmin: superadmin };
      const body = { tenant, service, capabilities, expires_in_days: life };
      terminal.out(renderRecord((await askNode(platform, 'key.issue', body)) as Row, output));
    });
}

function days(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('write a number of days from 1, for example 30');
}

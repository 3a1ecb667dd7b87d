/** `skep impersonation grant`: lets an operator impersonate users of a tenant for a limited time. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { askNode, durationOf, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

interface GrantOptions extends OperatorOptions {
  readonly tenant: string;
  readonly operator: string;
  readonly for: number;
}

export function addImpersonationGrant(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'grant',
    'let an operator impersonate users of a tenant for a limited time; the operator also needs the role impersonate or impersonate-readonly',
    'skep impersonation grant -f platform.yaml --tenant acme:atlas:dev:main --operator ann@example.org --for 8h',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .requiredOption(
      '--operator <who>',
      "login or id of a user of the tenant's operator plane, or the id of a key there",
    )
    .requiredOption('--for <duration>', 'how long the grant is valid (8h, 30m)', durationOf)
    .action(async ({ file, tenant, operator, for: for_ms, output }: GrantOptions) => {
      const platform = await platformOf(file, terminal);
      const body = { operator, tenant, for_ms, granted_by: userInfo().username };
      terminal.out(renderRecord((await askNode(platform, 'impersonation.grant', body)) as Row, output));
    });
}

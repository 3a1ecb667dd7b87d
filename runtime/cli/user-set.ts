/** `skep user set`: sets roles of a user and whether operators may act for the user, and resets a lost second factor. */
import { Option, type Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import { roleOption } from './role-option.ts';
import type { Terminal } from './terminal.ts';

interface SetOptions extends OperatorOptions {
  readonly tenant: string;
  readonly role?: readonly string[];
  readonly allowImpersonation?: 'yes' | 'no';
  readonly resetSecondFactor?: true;
}

export function addUserSet(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'set',
    'set roles of a user, whether operators may act for the user, or reset the second factor; options that are left out change nothing',
    'skep user set ann@example.org -f platform.yaml --tenant acme:atlas:dev:main --allow-impersonation yes',
  )
    .argument('<user>', 'login or id')
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(roleOption('the new roles of the user; they replace the present ones'))
    .addOption(
      new Option('--allow-impersonation <yes>', 'whether operators may act for the user').choices(['yes', 'no']),
    )
    .option('--reset-second-factor', 'remove the second factor and its recovery codes, for a user who has lost the app')
    .action(async (who: string, options: SetOptions) => {
      const { file, tenant, role, allowImpersonation, resetSecondFactor, output } = options;
      const platform = await platformOf(file, terminal);
      const allow = allowImpersonation === undefined ? undefined : allowImpersonation === 'yes';
      const body = {
        tenant,
        user: who,
        roles: role,
        allow_impersonation: allow,
        reset_second_factor: resetSecondFactor,
      };
      terminal.out(renderRecord((await askNode(platform, 'user.set', body)) as Row, output));
    });
}

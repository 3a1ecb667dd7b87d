/** `skep user set`: roles of a user, whether operators may act for the user, and the end of a lost second factor. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption } from './operator-verb.ts';
import type { OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import type { Row } from './output.ts';
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
    'set the roles of a user, whether operators may act for the user, or end the second factor; what is left out stays',
    'skep user set ann@example.org -f platform.yaml --tenant acme:atlas:dev:main --allow-impersonation yes',
  )
    .argument('<user>', 'login or id')
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(roleOption('the roles that the user has from now on, instead of those before'))
    .addOption(
      new Option('--allow-impersonation <yes>', 'whether operators may act for the user').choices(['yes', 'no']),
    )
    .option('--reset-second-factor', 'end the second factor and its recovery codes, for a user who has lost the app')
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

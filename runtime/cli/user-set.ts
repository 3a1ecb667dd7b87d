/** `skep user set`: sets roles of a user and whether operators may act for the user, and resets a lost second factor. */
import { Option, type Command } from 'commander';
import { shownVerb, type TenantOptions } from './operator-verb.ts';
import { roleOption } from './role-option.ts';
import type { Terminal } from './terminal.ts';

interface SetOptions extends TenantOptions {
  readonly role?: readonly string[];
  readonly allowImpersonation?: 'yes' | 'no';
  readonly resetSecondFactor?: true;
}

export function addUserSet(parent: Command, terminal: Terminal): void {
  shownVerb(parent, terminal, {
    name: 'set',
    what: 'set roles of a user, whether operators may act for the user, or reset the second factor; options that are left out change nothing',
    example: 'skep user set ann@example.org -f platform.yaml --tenant acme:atlas:dev:main --allow-impersonation yes',
    ofTenant: true,
    show: (ask, { tenant, role, allowImpersonation: allows, resetSecondFactor }: SetOptions, user) => {
      const allow_impersonation = allows === undefined ? undefined : allows === 'yes';
      const body = { tenant, user, roles: role, allow_impersonation, reset_second_factor: resetSecondFactor };
      return ask('user.set', body);
    },
  })
    .argument('<user>', 'login or id')
    .addOption(roleOption('the new roles of the user; they replace the present ones'))
    .addOption(
      new Option('--allow-impersonation <yes>', 'whether operators may act for the user').choices(['yes', 'no']),
    )
    .option(
      '--reset-second-factor',
      'remove the second factor and its recovery codes, for a user who has lost the app',
    );
}

/** `skep user disable|enable|remove|reset-second-factor`: one act on one user each. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

interface Act {
  readonly name: string;
  readonly description: string;
  readonly verb: 'user.set' | 'user.remove';
  readonly change: object;
}

const ACTS: readonly Act[] = [
  {
    name: 'disable',
    description:
      'keep a user out: sessions, refresh tokens and mailed links end at once; keys that the user issued go on',
    verb: 'user.set',
    change: { disabled: true },
  },
  { name: 'enable', description: 'let a disabled user log in again', verb: 'user.set', change: { disabled: false } },
  {
    name: 'remove',
    description: 'delete a user with all logins; keys that the user issued go on',
    verb: 'user.remove',
    change: {},
  },
  {
    name: 'reset-second-factor',
    description: 'remove the second factor and its recovery codes, for a user who has lost the app',
    verb: 'user.set',
    change: { reset_second_factor: true },
  },
];

export function addUserActs(parent: Command, terminal: Terminal): void {
  for (const { name, description, verb, change } of ACTS) {
    const example = `skep user ${name} ann@example.org -f platform.yaml --tenant acme:atlas:dev:main`;
    operatorVerb(parent, name, description, example)
      .argument('<user>', 'login or id')
      .addOption(tenantOption().makeOptionMandatory())
      .action(async (user: string, { file, tenant, output }: OperatorOptions & { readonly tenant: string }) => {
        const platform = await platformOf(file, terminal);
        terminal.out(renderRecord((await askNode(platform, verb, { tenant, user, ...change })) as Row, output));
      });
  }
}

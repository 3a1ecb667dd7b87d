/** `skep user disable|enable|remove|reset-second-factor`: one act on one user each. */
import type { Command } from 'commander';
import { shownVerb, type TenantOptions } from './operator-verb.ts';
import type { Terminal } from './terminal.ts';

/** Name, what it does, the verb of the node, and what that changes. */
type Act = readonly [name: string, what: string, verb: 'user.set' | 'user.remove', change: object];

const ACTS: readonly Act[] = [
  [
    'disable',
    'keep a user out: sessions, refresh tokens and mailed links end at once; keys that the user issued go on',
    'user.set',
    { disabled: true },
  ],
  ['enable', 'let a disabled user log in again', 'user.set', { disabled: false }],
  ['remove', 'delete a user with all logins; keys that the user issued go on', 'user.remove', {}],
  [
    'reset-second-factor',
    'remove the second factor and its recovery codes, for a user who has lost the app',
    'user.set',
    { reset_second_factor: true },
  ],
];

export function addUserActs(parent: Command, terminal: Terminal): void {
  for (const [name, what, verb, change] of ACTS)
    shownVerb(parent, terminal, {
      name,
      what,
      example: `skep user ${name} ann@example.org -f platform.yaml --tenant acme:atlas:dev:main`,
      ofTenant: true,
      show: (ask, { tenant }: TenantOptions, user) => ask(verb, { tenant, user, ...change }),
    }).argument('<user>', 'login or id');
}

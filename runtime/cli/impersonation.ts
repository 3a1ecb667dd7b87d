/** `skep impersonation grant|list|revoke`. Spec: docs/contract/identity-users.md §7.2, §7.3. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { durationOf, shownVerb, type TenantOptions } from './operator-verb.ts';
import { CliError, type Terminal } from './terminal.ts';

const COLUMNS = ['operator', 'tenant', 'state', 'expires_at', 'granted_by'];

type GrantOptions = TenantOptions & { readonly operator: string; readonly for: number };

export function addImpersonation(program: Command, terminal: Terminal): void {
  const group = program
    .command('impersonation')
    .description('grants that let operators act for users of a tenant')
    .enablePositionalOptions();
  shownVerb(group, terminal, {
    name: 'grant',
    what: 'let an operator impersonate users of a tenant for a limited time; the operator also needs the role impersonate or impersonate-readonly',
    example:
      'skep impersonation grant -f platform.yaml --tenant acme:atlas:dev:main --operator ann@example.org --for 8h',
    ofTenant: true,
    show: (ask, { tenant, operator, for: for_ms }: GrantOptions) =>
      ask('impersonation.grant', { operator, tenant, for_ms, granted_by: userInfo().username }),
  })
    .requiredOption(
      '--operator <who>',
      "login or id of a user of the tenant's operator plane, or the id of a key there",
    )
    .requiredOption('--for <duration>', 'how long the grant is valid (8h, 30m)', durationOf);
  shownVerb(group, terminal, {
    name: 'list',
    what: 'list every grant and whether it is still valid',
    example: 'skep impersonation list -f platform.yaml -o json',
    columns: COLUMNS,
    show: (ask) => ask('impersonation.list', null),
  });
  shownVerb(group, terminal, {
    name: 'revoke',
    what: 'end a grant; active impersonations end within a quarter of an hour, or with their session',
    example: 'skep impersonation revoke -f platform.yaml --tenant acme:atlas:dev:main --operator ann@example.org',
    ofTenant: true,
    show: async (ask, { file, tenant, operator }: GrantOptions) => {
      const { revoked } = (await ask('impersonation.revoke', { operator, tenant })) as { revoked: boolean };
      if (revoked) return { operator, tenant, revoked };
      const mend = `skep impersonation list -f ${file} shows them`;
      throw new CliError(`skep: ${operator} has no grant in ${tenant}\n    ${mend}\n`);
    },
  }).requiredOption('--operator <who>', 'the operator as named in the grant, or the id from the list');
}

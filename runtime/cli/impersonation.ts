/** `skep impersonation grant|list|revoke`. Spec: docs/contract/identity-users.md §7.2, §7.3. */
import type { Command } from 'commander';
import { addImpersonationGrant } from './impersonation-grant.ts';
import { addImpersonationList } from './impersonation-list.ts';
import { addImpersonationRevoke } from './impersonation-revoke.ts';
import type { Terminal } from './terminal.ts';

export function addImpersonation(program: Command, terminal: Terminal): void {
  const group = program
    .command('impersonation')
    .description('grants that let operators act for users of a tenant')
    .enablePositionalOptions();
  addImpersonationGrant(group, terminal);
  addImpersonationList(group, terminal);
  addImpersonationRevoke(group, terminal);
}

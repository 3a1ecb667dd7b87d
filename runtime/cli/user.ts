/** `skep user …`: users of a tenant or a plane, for the operator. Spec: docs/contract/identity-users.md §7.2. */
import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';
import { addUserActs } from './user-acts.ts';
import { addUserAdd } from './user-add.ts';
import { addUserImport } from './user-import.ts';
import { addUserErase, addUserExport } from './user-privacy.ts';
import { addUserList } from './user-list.ts';
import { addUserSet } from './user-set.ts';

export function addUser(program: Command, terminal: Terminal): void {
  const user = program.command('user').description('users of a tenant or plane').enablePositionalOptions();
  addUserList(user, terminal);
  addUserAdd(user, terminal);
  addUserImport(user, terminal);
  addUserExport(user, terminal);
  addUserErase(user, terminal);
  addUserSet(user, terminal);
  addUserActs(user, terminal);
}

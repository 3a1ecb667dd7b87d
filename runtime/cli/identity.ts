/** Identity's verbs: at the top, and under `skep identity` (docs/contract/platform.md §1.1). */
import type { Command } from 'commander';
import { addConfigGenerate } from './config.ts';
import { addData } from './data.ts';
import { addImpersonation } from './impersonation.ts';
import { addKey } from './key.ts';
import { addServeAlone } from './node-verbs.ts';
import { addSession } from './session.ts';
import { addTenant } from './tenant.ts';
import type { Terminal } from './terminal.ts';
import { addUser } from './user.ts';

/** The groups that identity shares with the top. */
export function addIdentityVerbs(parent: Command, terminal: Terminal): void {
  addTenant(parent, terminal);
  addData(parent, terminal);
  addKey(parent, terminal);
  addUser(parent, terminal);
  addSession(parent, terminal);
  addImpersonation(parent, terminal);
}

export function addIdentity(program: Command, terminal: Terminal): void {
  const identity = program
    .command('identity')
    .description('the identity service: the same verbs; with -f and no verb, serve only this service')
    .enablePositionalOptions();
  addServeAlone(identity, 'identity', terminal);
  addIdentityVerbs(identity, terminal);
  const config = identity.command('config').description('print a starter file').enablePositionalOptions();
  addConfigGenerate(config, terminal);
}

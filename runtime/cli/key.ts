/** `skep key issue|deployer|list|show|rotate|revoke` `skep key ring list|rotate` and `skep key url rotate`: the operator's verbs on keys. Spec: docs/contract/identity.md §10.5. */
import type { Command } from 'commander';
import { addKeyDeployer } from './key-deployer.ts';
import { addKeyIssue } from './key-issue.ts';
import { addKeyList } from './key-list.ts';
import { addKeyRevoke } from './key-revoke.ts';
import { addKeyRingList } from './key-ring-list.ts';
import { addKeyRingRotate } from './key-ring-rotate.ts';
import { addKeyRotate } from './key-rotate.ts';
import { addKeyShow } from './key-show.ts';
import { addKeyUrlRotate } from './key-url-rotate.ts';
import type { Terminal } from './terminal.ts';

export function addKey(program: Command, terminal: Terminal): void {
  const key = program
    .command('key')
    .description('API keys of a tenant, and the keys that sign tokens and URLs')
    .enablePositionalOptions();
  addKeyIssue(key, terminal);
  addKeyDeployer(key, terminal);
  addKeyList(key, terminal);
  addKeyShow(key, terminal);
  addKeyRotate(key, terminal);
  addKeyRevoke(key, terminal);
  const ring = key.command('ring').description('the keys that sign tokens').enablePositionalOptions();
  addKeyRingList(ring, terminal);
  addKeyRingRotate(ring, terminal);
  const url = key.command('url').description('the keys that sign URLs of files').enablePositionalOptions();
  addKeyUrlRotate(url, terminal);
}

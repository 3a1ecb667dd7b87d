/** `skep key list|show|rotate` and `skep key ring rotate`: the operator's verbs on keys. Spec: decisions.md "Identity" (key operations). */
import type { Command } from 'commander';
import { addKeyList } from './key-list.ts';
import { addKeyRingRotate } from './key-ring-rotate.ts';
import { addKeyRotate } from './key-rotate.ts';
import { addKeyShow } from './key-show.ts';
import type { Terminal } from './terminal.ts';

export function addKey(program: Command, terminal: Terminal): void {
  const key = program
    .command('key')
    .description('API keys of a tenant, and the token signing keys')
    .enablePositionalOptions();
  addKeyList(key, terminal);
  addKeyShow(key, terminal);
  addKeyRotate(key, terminal);
  const ring = key.command('ring').description('the keys that sign tokens').enablePositionalOptions();
  addKeyRingRotate(ring, terminal);
}

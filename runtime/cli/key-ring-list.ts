/** `skep key ring list`: the keys that sign and verify tokens. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, type OperatorOptions } from './operator-verb.ts';
import { renderRows, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

export function addKeyRingList(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'list',
    'list the keys that sign and verify tokens, newest first, and until when; never a private key',
    'skep key ring list -f platform.yaml',
  ).action(async ({ file, output }: OperatorOptions) => {
    const platform = await platformOf(file, terminal);
    terminal.out(renderRows((await askNode(platform, 'ring.list', null)) as Row[], output));
  });
}

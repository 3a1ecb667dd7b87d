/** `skep key ring rotate`: a new token signing key. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

export function addKeyRingRotate(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'rotate',
    'sign with a new key from now on; old keys verify until their last token has expired',
    'skep key ring rotate -f platform.yaml',
  ).action(async ({ file, output }: OperatorOptions) => {
    const platform = await platformOf(file, terminal);
    terminal.out(renderRecord((await askNode(platform, 'ring.rotate', null)) as Row, output));
  });
}

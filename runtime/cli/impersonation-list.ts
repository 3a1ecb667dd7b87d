/** `skep impersonation list`: every grant of the control plane. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, type OperatorOptions } from './operator-verb.ts';
import { renderRows, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['operator', 'tenant', 'state', 'expires_at', 'granted_by'];

export function addImpersonationList(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'list',
    'list every grant and whether it is still valid',
    'skep impersonation list -f platform.yaml -o json',
  ).action(async ({ file, output }: OperatorOptions) => {
    const platform = await platformOf(file, terminal);
    terminal.out(renderRows((await askNode(platform, 'impersonation.list', null)) as Row[], output, COLUMNS));
  });
}

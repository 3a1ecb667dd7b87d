/** `skep key show <id>`: the record of a key and its last use. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

export function addKeyShow(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'show',
    'show an API key and its last use; never its secret',
    'skep key show 01JABCDEFGHJKMNPQRSTVWXYZ0 -f platform.yaml --tenant acme:atlas:dev:main',
  )
    .argument('<id>', 'the key id')
    .addOption(tenantOption().makeOptionMandatory())
    .action(async (id: string, { file, tenant, output }: OperatorOptions & { tenant: string }) => {
      const platform = await platformOf(file, terminal);
      terminal.out(renderRecord((await askNode(platform, 'key.show', { tenant, id })) as Row, output));
    });
}

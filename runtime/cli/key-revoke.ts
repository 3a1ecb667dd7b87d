/** `skep key revoke <id>`: ends an API key at once. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

export function addKeyRevoke(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'revoke',
    'end an API key at once; service tokens issued for it stay valid for up to 15 minutes',
    'skep key revoke 01JABCDEFGHJKMNPQRSTVWXYZ0 -f platform.yaml --tenant acme:atlas:dev:main',
  )
    .argument('<id>', 'the key id')
    .addOption(tenantOption().makeOptionMandatory())
    .action(async (id: string, { file, tenant, output }: OperatorOptions & { tenant: string }) => {
      const platform = await platformOf(file, terminal);
      terminal.out(renderRecord((await askNode(platform, 'key.revoke', { tenant, id })) as Row, output));
    });
}

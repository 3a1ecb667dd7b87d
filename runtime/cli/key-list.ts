/** `skep key list`: the tenant's API keys, never their secrets. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRows, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['id', 'service', 'state', 'roles', 'scope', 'expires_at', 'last_used_at'];

export function addKeyList(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'list',
    "list a tenant's API keys, oldest first, with their last use; never a secret",
    'skep key list -f platform.yaml --tenant acme:atlas:dev:main',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .action(async ({ file, tenant, output }: OperatorOptions & { tenant: string }) => {
      const platform = await platformOf(file, terminal);
      const keys = (await askNode(platform, 'key.list', { tenant })) as Row[];
      terminal.out(renderRows(keys, output, output === 'table' ? COLUMNS : undefined));
    });
}

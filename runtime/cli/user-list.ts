/** `skep user list|show`: the users of a tenant or a plane. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, renderRows, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

interface ListOptions extends OperatorOptions {
  readonly tenant: string;
  readonly search?: string;
}

const COLUMNS = ['id', 'email', 'firstname', 'lastname', 'roles', 'disabled_at', 'created_at'];

export function addUserList(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'list',
    'list users; never a password',
    'skep user list -f platform.yaml --tenant acme:atlas:dev:main --search ann',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .option('--search <start>', 'only users whose e-mail address, full name or last name begins so, in any case')
    .action(async ({ file, tenant, search, output }: ListOptions) => {
      const platform = await platformOf(file, terminal);
      const users = (await askNode(platform, 'user.list', { tenant, search: search ?? null })) as Row[];
      terminal.out(renderRows(users, output, output === 'table' ? COLUMNS : undefined));
    });
}

export function addUserShow(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'show',
    'show one user',
    'skep user show ann@example.org -f platform.yaml --tenant acme:atlas:dev:main',
  )
    .argument('<user>', 'login or id')
    .addOption(tenantOption().makeOptionMandatory())
    .action(async (user: string, { file, tenant, output }: ListOptions) => {
      const platform = await platformOf(file, terminal);
      terminal.out(renderRecord((await askNode(platform, 'user.show', { tenant, user })) as Row, output));
    });
}

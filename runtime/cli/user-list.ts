/** `skep user list|show`: the users of a tenant or a plane. */
import type { Command } from 'commander';
import { shownVerb, type TenantOptions } from './operator-verb.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['id', 'email', 'firstname', 'lastname', 'roles', 'disabled_at', 'created_at'];

export function addUserList(parent: Command, terminal: Terminal): void {
  shownVerb(parent, terminal, {
    name: 'list',
    what: 'list users; never a password',
    example: 'skep user list -f platform.yaml --tenant acme:atlas:dev:main --search ann',
    ofTenant: true,
    columns: COLUMNS,
    show: (ask, { tenant, search }: TenantOptions & { search?: string }) =>
      ask('user.list', { tenant, search: search ?? null }),
  }).option('--search <start>', 'only users whose e-mail address, full name or last name begins so, in any case');
  shownVerb(parent, terminal, {
    name: 'show',
    what: 'show one user',
    example: 'skep user show ann@example.org -f platform.yaml --tenant acme:atlas:dev:main',
    ofTenant: true,
    show: (ask, { tenant }: TenantOptions, user) => ask('user.show', { tenant, user }),
  }).argument('<user>', 'login or id');
}

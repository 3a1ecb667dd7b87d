/** `skep user add <email>`: a user of a tenant or a plane. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import { seedOf, type PersonOptions } from './person-options.ts';
import { roleOption } from './role-option.ts';
import { CliError, type Terminal } from './terminal.ts';

interface AddOptions extends OperatorOptions, PersonOptions {
  readonly tenant: string;
  readonly role?: readonly string[];
}

export function addUserAdd(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'add',
    'add a user; the password is read from standard input, else one is generated and shown once',
    'skep user add ann@example.org -f platform.yaml --tenant acme:atlas:dev:superadmin --role impersonate-readonly',
  )
    .argument('<email>', 'the login')
    .addOption(tenantOption().makeOptionMandatory())
    .option('--firstname <name>', 'first name')
    .option('--lastname <name>', 'last name')
    .addOption(roleOption('roles of the user'))
    .action(async (email: string, options: AddOptions) => {
      const { file, tenant, role = [], output } = options;
      const platform = await platformOf(file, terminal);
      const { person, generated } = (await seedOf({ ...options, email }, terminal))!;
      const added = await askNode(platform, 'user.add', { tenant, ...person, roles: role });
      const { id, created } = added as { id: string; created: boolean };
      if (!created) throw new CliError(`skep: ${email} is a user of ${tenant} already (${id})\n`);
      const password = generated ? { password: person.password } : {};
      terminal.out(renderRecord({ id, tenant, login: email, roles: role, ...password }, output));
    });
}

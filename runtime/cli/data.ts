/** `skep data …`. Spec: docs/contract/identity.md §10.2, §10.3. */
import { Option, type Command } from 'commander';
import { operatorVerb, platformOf, tenantKey, tenantOption } from './operator-verb.ts';
import { addPersonOptions } from './person-options.ts';
import { renderRows } from './output.ts';
import type { BootstrapOptions } from './data-bootstrap.ts';
import { addDataPlan } from './data-plan.ts';
import { addDataSeed } from './data-seed.ts';
import { addDataTrigger } from './data-trigger.ts';
import type { Terminal } from './terminal.ts';

export function addData(program: Command, terminal: Terminal): void {
  const data = program
    .command('data')
    .description('stores and schemas of tenants and planes')
    .enablePositionalOptions();
  const bootstrap = operatorVerb(
    data,
    'bootstrap',
    'create missing stores and schemas, and apply changes; safe to run again',
    EXAMPLES,
  )
    .addOption(tenantOption())
    .addOption(new Option('--scope <scope>', 'create the shared planes instead of the tenants').choices(['shared']))
    .option('--datastore <name>', 'the datastore of the tenant', 'default');
  bootstrap.addOption(
    new Option(
      '--admin-of <cpet>',
      'the tenant that the superadmin also administers; by default the first of the file',
    ).argParser(tenantKey),
  );
  addDataPlan(data, terminal);
  addDataSeed(data, terminal);
  addDataTrigger(data, terminal);
  addPersonOptions(
    bootstrap,
    'the superadmin (also administers one tenant); by default the login is superadmin@node.invalid',
  ).action(async (options: BootstrapOptions) => {
    const platform = await platformOf(options.file, terminal);
    const { dataBootstrap } = await import('./data-bootstrap.ts');
    terminal.out(renderRows(await dataBootstrap(platform, options, terminal), options.output));
  });
}

const EXAMPLES = `skep data bootstrap -f platform.yaml
  skep data bootstrap -f platform.yaml --tenant superadmin --firstname Ann --lastname Lee
  skep data bootstrap -f platform.yaml --tenant superadmin --email ann@example.org --admin-of acme:atlas:dev:main
  skep data bootstrap -f platform.yaml --tenant acme:atlas:dev:superadmin
  skep data bootstrap -f platform.yaml --scope shared`;

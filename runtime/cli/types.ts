/** `skep types`: types of a tenant's definitions for `@skep/client`. It reads the checkout; no node is asked. */
import { writeFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { platformOf, tenantOption } from './operator-verb.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface TypesOptions {
  readonly file: string;
  readonly tenant: string;
  readonly to?: string;
}

export function addTypes(program: Command, terminal: Terminal): void {
  program
    .command('types')
    .description(
      'write TypeScript types of a tenant: entities, actions, stateflows, endpoints, channels, for createClient<Schema> of @skep/client',
    )
    .requiredOption('-f, --file <file>', 'the platform file')
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(new Option('--to <file>', 'write into this file; without it the types are printed'))
    .addHelpText('after', EXAMPLES)
    .action(async ({ file, tenant, to }: TypesOptions) => {
      const text = await typesOf(file, tenant, terminal);
      if (to === undefined) terminal.out(text);
      else writeFileSync(to, text);
    });
}

async function typesOf(file: string, tenant: string, terminal: Terminal): Promise<string> {
  const [{ productOf }, { clientTypes }, { wantedModels }, { renderFaults }] = await Promise.all([
    import('./product-of.ts'),
    import('#runtime/client-types/client-types.ts'),
    import('#actors/data/definition-faults.ts'),
    import('#runtime/product-faults.ts'),
  ]);
  const product = productOf(await platformOf(file, terminal), tenant);
  const faults: Parameters<typeof wantedModels>[1] = [];
  const models = wantedModels(product, faults);
  if (faults.length > 0) throw new CliError(renderFaults(faults), EXIT.usage);
  return clientTypes(product, models);
}

const EXAMPLES = `
Examples:
  skep types -f platform.yaml --tenant acme:desk:dev:main > src/schema.ts
  skep types -f platform.yaml --tenant acme:desk:dev:main --to src/schema.ts
`;

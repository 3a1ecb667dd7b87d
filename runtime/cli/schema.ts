/** `skep schema`: JSON Schemas of the files that people write, for editors. Nothing is read and nothing fetched. */
import type { Command } from 'commander';
import { suggestion } from '#config/values/suggest.ts';
import { outputOption, renderRows, type OutputFormat } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

export function addSchema(program: Command, terminal: Terminal): void {
  program
    .command('schema')
    .description('print the JSON Schema of a kind of file, for editors; without a kind, list them with their files')
    .argument('[kind]', 'platform, product, entity, …')
    .addOption(outputOption())
    .addHelpText('after', EXAMPLES)
    .action(async (kind: string | undefined, { output }: { output: OutputFormat }) => {
      terminal.out(kind === undefined ? await listed(output) : await schemaText(kind));
    });
}

async function listed(output: OutputFormat): Promise<string> {
  const { fileKinds } = await import('#config/file-kinds.ts');
  const rows = Object.entries(fileKinds).map(([kind, { files, about }]) => ({ kind, files: files.join(' '), about }));
  return renderRows(rows, output);
}

async function schemaText(kind: string): Promise<string> {
  const [{ fileKinds, fileKindNames }, { jsonSchemaOf }] = await Promise.all([
    import('#config/file-kinds.ts'),
    import('#config/json-schema.ts'),
  ]);
  const name = fileKindNames.find((one) => one === kind);
  if (name === undefined)
    throw new CliError(
      `skep: there is no kind of file "${kind}"\n    ${suggestion(kind, fileKindNames)}\n`,
      EXIT.usage,
    );
  return `${JSON.stringify(jsonSchemaOf(fileKinds[name]), null, 2)}\n`;
}

const EXAMPLES = `
Examples:
  skep schema
  skep schema entity > entity.schema.json
`;

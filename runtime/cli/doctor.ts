/** `skep doctor`: what is wrong with a node or its surroundings, and what to do. */
import type { Command } from 'commander';
import { outputOption, renderRows, type OutputFormat } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface DoctorOptions {
  readonly file: string;
  readonly output: OutputFormat;
}

export function addDoctor(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('check what a node needs, and what a running one says; exit 1 when something is wrong')
    .requiredOption('-f, --file <file>', 'the platform file')
    .addOption(outputOption())
    .addHelpText('after', '\nRun it as the user of the node. Definitions of products are checked by skep check.\n')
    .action((options: DoctorOptions) => doctor(options, terminal));
}

async function doctor({ file, output }: DoctorOptions, terminal: Terminal): Promise<void> {
  const [{ platformOf }, { examine }, { refuseMissingFiles }] = await Promise.all([
    import('./operator-verb.ts'),
    import('#runtime/doctor/examine.ts'),
    import('./named-files.ts'),
  ]);
  const platform = await platformOf(file, terminal);
  refuseMissingFiles(platform);
  const findings = await examine(platform, Date.now());
  const rows = findings.map(({ check, state, detail, mend }) => ({ state, check, detail, mend }));
  terminal.out(renderRows(rows, output));
  if (findings.some(({ state }) => state === 'fault')) throw new CliError('', EXIT.failure);
}

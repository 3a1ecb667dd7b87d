/** The verbs that run a node: `skep -f <file>`, `skep demo`, `skep tenant provision`. */
import { fileURLToPath } from 'node:url';
import { Option } from 'commander';
import type { Command } from 'commander';
import { suggestion } from '#config/suggest.ts';
import { outputOption, renderRecord } from './output.ts';
import type { OutputFormat } from './output.ts';
import { setOption } from './set-flag.ts';
import type { FlagValues } from './set-flag.ts';
import { CliError, EXIT } from './terminal.ts';
import type { Terminal } from './terminal.ts';

const DEMO_FILE = fileURLToPath(new URL('../../config/samples/demo/demo.yaml', import.meta.url));

interface ServeOptions {
  readonly file?: string;
  readonly level?: string;
  readonly set?: FlagValues;
}

const levelOption = (): Option =>
  new Option('-l, --level <level>', 'log level: trace, debug, info, warn, error, fatal, silent');

/** The root action: serves the node of a platform file; the demo when there is none. */
export function addServe(program: Command, terminal: Terminal): void {
  program
    .option('-f, --file <file>', 'the platform file to serve')
    .addOption(levelOption())
    .addOption(setOption())
    .allowExcessArguments()
    .action(async (options: ServeOptions, command: Command) => {
      refuseUnknown(command);
      if (options.file === undefined) await runDemo(options, terminal);
      else {
        const { serve } = await import('./serve.ts');
        await guarded(serve(await platformOf(options.file, options, terminal)));
      }
    });
}

/** A word that names no verb reaches the root action: it must not start a node. */
function refuseUnknown(program: Command): void {
  const [word] = program.args;
  if (word === undefined) return;
  const verbs = program.commands.map((command) => command.name());
  throw new CliError(`skep: unknown command "${word}"\n    ${suggestion(word, verbs)}\n`, EXIT.usage);
}

export function addDemo(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('serve the demo product on real data; provisions it the first time (what `npm start` runs)')
    .addOption(levelOption())
    .addOption(setOption())
    .addHelpText('after', DEMO_HELP)
    .action((options: ServeOptions) => runDemo(options, terminal));
}

export function addTenant(program: Command, terminal: Terminal): void {
  const tenant = program.command('tenant').description('tenants of a node').enablePositionalOptions();
  tenant
    .command('provision')
    .description('register, bootstrap, seed and activate a tenant; safe to run again')
    .requiredOption('-f, --file <file>', 'the platform file')
    .requiredOption('--tenant <cpet>', 'customer:product:env:tenant')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  skep tenant provision -f platform.yaml --tenant acme:atlas:dev:main\n')
    .action(async (options: { file: string; tenant: string; output: OutputFormat }) => {
      const platform = await platformOf(options.file, { level: 'warn' }, terminal);
      const { checkTenant, tenantProvision } = await import('./tenant-provision.ts');
      checkTenant(platform, options.tenant);
      const report = await guarded(tenantProvision(platform, options.tenant));
      const shown = { tenant: report.tenant, state: report.state, schema_steps: report.steps.length };
      terminal.out(renderRecord(shown, options.output));
    });
}

async function runDemo(options: ServeOptions, terminal: Terminal): Promise<void> {
  const platform = await platformOf(DEMO_FILE, { ...options, level: options.level ?? 'warn' }, terminal);
  const { demo } = await import('./demo.ts');
  await guarded(demo(platform, terminal));
}

async function platformOf(file: string, options: ServeOptions, terminal: Terminal) {
  const { loadOrExplain } = await import('./config-show.ts');
  const level = options.level === undefined ? {} : { 'log.level': options.level };
  return loadOrExplain(file, { env: terminal.env, flags: { ...options.set, ...level } });
}

/** What cannot start says why in one line; a fault keeps its stack. */
async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (process.env['SKEP_DEBUG'] !== undefined) throw error;
    throw new CliError(`skep: ${(error as Error).message.trimEnd()}\n`, EXIT.failure);
  }
}

const DEMO_HELP = `
The store lies in .skep/ (SKEP_DATA names another directory), with dev.json beside it: URLs, headers and keys for scripts.
SKEP_PORT_BASE=20000 moves the listeners to 20000 (gateway), 20001 (operations), … instead of 8080, 9098, ….

Examples:
  skep demo
  SKEP_DATA=./elsewhere SKEP_PORT_BASE=20000 skep demo -l info
`;

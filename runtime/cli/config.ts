/** `skep config generate bootstrap-dev`, `skep config show`, `skep check`. */
import { Option, type Command } from 'commander';
import type { ConfigFormat } from './config-show.ts';
import { operatorVerb, platformOf, type OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import { setOption, type FlagValues } from './set-flag.ts';
import type { Terminal } from './terminal.ts';

interface ShowOptions {
  readonly file?: string;
  readonly set?: FlagValues;
  readonly output: ConfigFormat;
}

/** Adds the `config` group. Its work is imported when it is asked for. */
export function addConfig(program: Command, terminal: Terminal): void {
  const config = program
    .command('config')
    .description('print a starter file, or the effective configuration of a file')
    .enablePositionalOptions();
  addConfigGenerate(config, terminal);
  config
    .command('show')
    .description('print the effective configuration: flags over environment over file over defaults, secrets masked')
    .option('-f, --file <file>', 'the platform file; without it, the defaults')
    .addOption(setOption())
    .addOption(configOutputOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: ShowOptions) => {
      const [{ configText, loadOrExplain }, { redacted }] = await Promise.all([
        import('./config-show.ts'),
        import('#config/redact.ts'),
      ]);
      const platform = loadOrExplain(options.file, { env: terminal.env, flags: options.set ?? {} });
      terminal.out(configText(redacted(platform), options.output));
    });
}

/** Adds `check`: finds, without starting a node, what a node would refuse. */
export function addCheck(program: Command, terminal: Terminal): void {
  operatorVerb(
    program,
    'check',
    'check a platform file and its products (files, rules, programs) without starting a node',
    'skep check -f platform.yaml',
  ).action(async ({ file, output }: OperatorOptions) => {
    const platform = await platformOf(file, terminal);
    const { checkProducts } = await import('./check-products.ts');
    terminal.out(renderRecord(await checkProducts(platform), output));
  });
}

/** `--output yaml|json` of a configuration. */
export function configOutputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml');
}

/** Adds `generate bootstrap-dev` to a group. */
export function addConfigGenerate(config: Command, terminal: Terminal): void {
  const generate = config.command('generate').description('print a starter file').enablePositionalOptions();
  generate
    .command('bootstrap-dev')
    .description('print a commented platform file for development, with a new bootstrap token')
    .option('-f, --file <file>', 'accepted as by every verb, but neither read nor written')
    .addHelpText('after', '\nExample:\n  skep config generate bootstrap-dev > platform.yaml\n')
    .action(async () => {
      const { generateBootstrapDev } = await import('#config/generate.ts');
      terminal.out(generateBootstrapDev());
    });
}

const EXAMPLES = `
Examples:
  skep config show -f platform.yaml
  skep config show -f platform.yaml --set log.level=debug --set listeners.data=true
  SKEP_PORT_BASE=20000 skep config show -f platform.yaml -o json
`;

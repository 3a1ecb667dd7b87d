/** The verbs that run a node: `skep -f <file>`, `skep demo`. */
import { Option, type Command } from 'commander';
import type { ListenerName } from '#config/defaults.ts';
import { suggestion } from '#config/values/suggest.ts';
import { ROOT } from '../place.ts';
import { guarded } from './operator-verb.ts';
import { setOption, type FlagValues } from './set-flag.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

const DEMO_FILE = `${ROOT}config/samples/demo/demo.yaml`;

interface ServeOptions {
  readonly file?: string;
  readonly level?: string;
  readonly set?: FlagValues;
}

const levelOption = (): Option =>
  new Option('-l, --level <level>', 'log level: trace, debug, info, warn, error, fatal, silent');

/** The root action: serves the node of a platform file; without one, the demo. */
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
        const platform = await servedPlatform(options.file, options, terminal);
        await guarded(() => serve(platform));
      }
    });
}

/** A service named on the command line runs alone (docs/contract/platform.md §1.1): on its own listener, which need not be open in the file. */
export function addServeAlone(group: Command, service: ListenerName, terminal: Terminal): void {
  group
    .option('-f, --file <file>', `the platform file; without a verb, serve only its ${service} service`)
    .addOption(levelOption())
    .addOption(setOption())
    .allowExcessArguments()
    .action(async (options: ServeOptions, command: Command) => {
      refuseUnknown(command);
      if (options.file === undefined) command.help({ error: true });
      const { serve } = await import('./serve.ts');
      const { file } = options;
      let platform = await servedPlatform(file, options, terminal);
      if (platform.listeners[service] === null) {
        const set = { ...options.set, [`listeners.${service}`]: 'true' };
        platform = await servedPlatform(file, { ...options, set }, terminal);
      }
      await guarded(() => serve(platform, { alone: service }));
    });
}

/** A word that is not a verb reaches the root action: it must not start a node. */
export function refuseUnknown(program: Command): void {
  const [word] = program.args;
  if (word === undefined) return;
  const verbs = program.commands.map((command) => command.name());
  throw new CliError(`skep: unknown command "${word}"\n    ${suggestion(word, verbs)}\n`, EXIT.usage);
}

export function addDemo(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('serve the demo product on real data; the first run provisions it (`npm start` runs this)')
    .addOption(levelOption())
    .addOption(setOption())
    .addHelpText('after', DEMO_HELP)
    .action((options: ServeOptions) => runDemo(options, terminal));
}

async function runDemo(options: ServeOptions, terminal: Terminal): Promise<void> {
  const platform = await servedPlatform(DEMO_FILE, { ...options, level: options.level ?? 'warn' }, terminal);
  const { demo } = await import('./demo.ts');
  await guarded(() => demo(platform, terminal));
}

async function servedPlatform(file: string, options: ServeOptions, terminal: Terminal) {
  const { loadOrExplain } = await import('./config-show.ts');
  const level = options.level === undefined ? {} : { 'log.level': options.level };
  return loadOrExplain(file, {
    env: terminal.env,
    flags: { ...options.set, ...level },
    contentRoot: terminal.contentRoot === true,
  });
}

const DEMO_HELP = `
The store is .skep/ (SKEP_DATA names another directory). It holds dev.json: URLs, headers and keys for scripts.
SKEP_PORT_BASE=20000 moves the listeners to 20000 (gateway), 20001 (operations), … instead of 8080, 9098, ….

Examples:
  skep demo
  SKEP_DATA=./elsewhere SKEP_PORT_BASE=20000 skep demo -l info
`;

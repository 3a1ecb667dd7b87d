/** `skep intake` serves; `version`, `config generate`, `config show` and the verbs of `intake-archive.ts`. Spec: docs/contract/intake.md §8. */
import { Option, type Command } from 'commander';
import { intakeFlags } from '#config/intake-flags.ts';
import type { Platform } from '#config/platform.ts';
import { loadOrExplain, configText, type ConfigFormat } from './config-show.ts';
import { configOutputOption } from './config.ts';
import { addIntakeArchive } from './intake-archive.ts';
import { addIntakePerson } from './intake-person.ts';
import { refuseUnknown } from './node-verbs.ts';
import { guarded } from './operator-verb.ts';
import { splitList } from './set-flag.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import { addVersion } from './version.ts';

/** Fills the `intake` group: the file of this service has the intake keys at its root. */
export function fillIntake(intake: Command, terminal: Terminal): void {
  addIntakeFlags(intake);
  intake.allowExcessArguments().action(async (_options: object, command: Command) => {
    refuseUnknown(intake);
    const { serve } = await import('./serve.ts');
    const platform = platformFor(command);
    await guarded(() => serve(platform));
  });
  const platformFor = (command: Command): Platform =>
    loadOrExplain(command.opts<{ config?: string }>().config, {
      env: terminal.env,
      service: 'intake',
      flags: givenFlags(command),
    });
  const storedIn = (command: Command): Platform => {
    const { config, platform } = command.opts<{ config?: string; platform?: string }>();
    if (platform === undefined) return platformFor(command);
    if (config === undefined) return loadOrExplain(platform, { env: terminal.env, flags: givenFlags(command) });
    throw new CliError(
      'skep: --platform and -f name two files\n    give the one of the node, or that of skep intake\n',
      EXIT.usage,
    );
  };
  addIntakePerson(intake, terminal);
  addIntakeArchive(intake, terminal, withNodeFile, storedIn);
  addVersion(intake, terminal);
  const config = intake
    .command('config')
    .description('print the default or the effective configuration of intake')
    .enablePositionalOptions();
  config
    .command('generate')
    .description('print a file with every key and its default')
    .addHelpText('after', '\nExample:\n  skep intake config generate > intake.yaml\n')
    .action(async () => {
      const { generateIntake } = await import('#config/generate-intake.ts');
      terminal.out(generateIntake());
    });
  const show = config
    .command('show')
    .description('print the effective configuration: flags over environment over file over defaults, secrets masked')
    .addOption(configOutputOption())
    .addHelpText('after', EXAMPLES);
  addIntakeFlags(show);
  show.action(async (options: { output: ConfigFormat }, command: Command) => {
    const { redactedIntake } = await import('#config/redact.ts');
    terminal.out(configText(redactedIntake(platformFor(command)), options.output));
  });
}

/** Stored submissions are those of `skep intake`, or of a node. */
function withNodeFile(command: Command): Command {
  return addIntakeFlags(command.option('--platform <file>', 'the platform file of a node, in the place of -f'));
}

/** Declares `-f, --config <file>` and one flag per key. */
export function addIntakeFlags(command: Command): Command {
  command.addOption(new Option('-f, --config <file>', 'the configuration file of the service'));
  for (const { flag, kind, description } of intakeFlags()) {
    const value = kind === 'boolean' ? '[yes]' : kind === 'list' ? '<list>' : '<value>';
    const option = new Option(`--${flag} ${value}`, kind === 'list' ? `${description}, with commas` : description);
    command.addOption(kind === 'boolean' ? option.preset('true') : option);
  }
  return command;
}

/** The given flags, by the platform file's dotted key: only these override the file. */
export function givenFlags(command: Command): Record<string, string | string[]> {
  const given: Record<string, string | string[]> = {};
  const options = new Map(command.options.map((option) => [option.long, option.attributeName()]));
  for (const { flag, key, kind } of intakeFlags()) {
    const name = options.get(`--${flag}`)!;
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const text = command.getOptionValue(name) as string;
    given[`intake.${key}`] = kind === 'list' ? splitList(text) : text;
  }
  return given;
}

const EXAMPLES = `
Examples:
  skep intake config show -f intake.yaml
  skep intake config show -f intake.yaml --ratelimit-per-ip 10 --wal-jsonl=false
  EDGE_INTAKE_GATEWAY_SECRET=… skep intake config show
`;

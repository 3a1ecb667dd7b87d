/**
 * `skep intake verify`, `rebuild`, `export`: verbs on stored submissions, beside a running node or without one. Spec: docs/contract/intake.md §4.3.
 */
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { existsSync } from 'node:fs';
import { Option, type Command } from 'commander';
import type { Platform } from '#config/platform.ts';
import { guarded } from './operator-verb.ts';
import { outputOption, renderRecord, type OutputFormat } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

/** Gives the platform of a verb's options: with `-f` the file's root is the intake part, with `--platform` it is a platform file. */
export type PlatformFor = (command: Command) => Platform;

/** Adds the verbs; `flagged` declares the file and the flags on each. */
export function addIntakeArchive(
  intake: Command,
  terminal: Terminal,
  flagged: (command: Command) => Command,
  platformFor: PlatformFor,
): void {
  flagged(intake.command('verify'))
    .description('rebuild the database from the log beside the present one, and compare both')
    .addOption(outputOption())
    .action((options: { output: OutputFormat }, command: Command) =>
      guarded(() => runVerify(platformFor(command), options.output, terminal)),
    );
  flagged(intake.command('rebuild'))
    .description('replace the database by one built from the log; the node must be stopped')
    .addOption(outputOption())
    .action((options: { output: OutputFormat }, command: Command) =>
      guarded(() => runRebuild(platformFor(command), options.output, terminal)),
    );
  flagged(intake.command('export'))
    .description('print stored submissions')
    .addOption(new Option('--format <format>', 'csv or jsonl').choices(['csv', 'jsonl']).default('jsonl'))
    .addOption(new Option('--form <id>', 'only this form; required for csv'))
    .addHelpText('after', '\nExample:\n  skep intake export -f intake.yaml --form contact --format csv > contact.csv\n')
    .action((options: ExportOptions, command: Command) =>
      guarded(() => runExport(platformFor(command), options, terminal)),
    );
}

async function runVerify(platform: Platform, format: OutputFormat, terminal: Terminal): Promise<void> {
  const [{ verify }, { pathsOf }] = await Promise.all([
    import('#actors/intake/archive/store.ts'),
    import('#actors/intake/store.ts'),
  ]);
  const settings = await settingsOf(platform);
  refuseAbsent(pathsOf(settings)[0]);
  const report = await verify(settings);
  const { faults, ...counts } = report;
  terminal.out(renderRecord(format === 'json' ? { ...report } : counts, format));
  if (report.faultCount === 0) return;
  const more = report.faultCount > faults.length ? `and ${report.faultCount - faults.length} more\n` : '';
  throw new CliError(`${faults.map((fault) => `${fault}\n`).join('')}${more}`);
}

async function runRebuild(platform: Platform, format: OutputFormat, terminal: Terminal): Promise<void> {
  const [{ assertRebuildable, rebuild }, { lockDirectory }] = await Promise.all([
    import('#actors/intake/archive/store.ts'),
    import('#storage/lock.ts'),
  ]);
  const settings = await settingsOf(platform);
  assertRebuildable(settings);
  refuseAbsent(settings.jsonlDir);
  const lock = existsSync(platform.storage.dir) ? await lockDirectory(platform.storage.dir) : null;
  try {
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const report = await rebuild(settings, stamp);
    terminal.out(renderRecord({ ...report }, format));
  } finally {
    lock?.release();
  }
}

interface ExportOptions {
  readonly format: 'csv' | 'jsonl';
  readonly form?: string;
}

async function runExport(platform: Platform, { format, form }: ExportOptions, terminal: Terminal): Promise<void> {
  if (format === 'csv' && form === undefined)
    throw new CliError(
      'skep: each form has its own columns, so csv needs one form\n    name it: --form contact\n',
      EXIT.usage,
    );
  const [{ eachStored }, { pathsOf }] = await Promise.all([
    import('#actors/intake/archive/store.ts'),
    import('#actors/intake/store.ts'),
  ]);
  const settings = await settingsOf(platform);
  refuseAbsent(pathsOf(settings)[0]);
  const print = printer(terminal);
  if (format === 'jsonl') {
    await eachStored(settings, form ?? null, (submission) => print(`${JSON.stringify(submission)}\n`));
    return;
  }
  const { writeCsv } = await import('#actors/intake/export-csv.ts');
  await writeCsv((each) => eachStored(settings, form!, each), await fieldsOf(platform, form!, terminal), print);
}

/** Prints lines, and ends the verb quietly where the reader has gone. Lines are written in several turns, so that a closed pipe is noticed. */
export function printer(terminal: Terminal): (text: string) => Promise<void> | void {
  let lines = 0;
  return (text) => {
    if (terminal.isUnread?.() === true) throw new CliError('', EXIT.ok);
    terminal.out(text);
    if (++lines % LINES_A_TURN === 0) return nextTurn();
  };
}

const LINES_A_TURN = 64;

/** The fields that the form declares now; none where it is no longer declared. */
async function fieldsOf(platform: Platform, form: string, terminal: Terminal): Promise<readonly string[]> {
  const { loadForms } = await import('#config/definitions/load-forms.ts');
  const { dir } = platform.intake.forms;
  const loaded = loadForms(dir);
  if (!('problems' in loaded)) return Object.keys(loaded.forms[form]?.fields ?? {});
  terminal.err(
    `skep: the forms of ${dir} do not load, so the columns are taken from the rows; run skep check to see why\n`,
  );
  return [];
}

export async function settingsOf(platform: Platform) {
  const { intakeSettings } = await import('#runtime/threads/intake-settings.ts');
  return intakeSettings(platform).storage;
}

/** `path`: absent where submissions lie in the database of the log. */
function refuseAbsent(path: string | undefined): void {
  if (path !== undefined && !existsSync(path))
    throw new CliError(`skep: ${path} does not exist\n    check -f, embedded.path and jsonl.dir\n`, EXIT.usage);
}

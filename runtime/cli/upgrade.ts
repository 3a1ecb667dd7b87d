/** `skep upgrade check`: whether this version can take the place of the one that serves a data directory. Spec: docs/contract/platform.md §1.6. */
import { accessSync, constants } from 'node:fs';
import { Option, type Command } from 'commander';
import type { Finding } from '#runtime/doctor/finding.ts';
import { durationOf, guarded, operatorVerb, type OperatorOptions } from './operator-verb.ts';
import { renderRows } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface UpgradeOptions extends OperatorOptions {
  readonly backups?: string;
  readonly backupAge: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Adds the `upgrade` group. */
export function addUpgrade(program: Command, terminal: Terminal): void {
  const upgrade = program
    .command('upgrade')
    .description('before an upgrade: whether this version can take the place of the one that serves')
    .enablePositionalOptions();
  operatorVerb(
    upgrade,
    'check',
    'run by the new version, while the old one serves or is stopped: go (exit 0) or do not (exit 1); it changes nothing',
    'skep upgrade check -f platform.yaml --backups /var/backups/skep',
  )
    .argument('[dir]', 'the data directory, where it is not the storage.dir of the file')
    .option('--backups <path>', 'a file of skep tenant backup, or a folder of them: every tenant must have a young one')
    .addOption(
      new Option('--backup-age <duration>', 'how old a backup may be').argParser(durationOf).default(DAY_MS, '24h'),
    )
    .action((dir: string | undefined, options: UpgradeOptions) => guarded(() => check(dir, options, terminal)));
}

async function check(dir: string | undefined, options: UpgradeOptions, terminal: Terminal): Promise<void> {
  refuseUnreadable(options.file);
  if (options.backups !== undefined) refuseUnreadable(options.backups);
  const findings = await findingsOf(dir, options, terminal);
  const rows = findings.map(({ check: name, state, detail, mend }) => ({ state, check: name, detail, mend }));
  terminal.out(renderRows(rows, options.output));
  const faults = findings.filter(({ state }) => state === 'fault').length;
  if (faults > 0) throw new CliError(`skep: do not upgrade yet: mend the faults first (${faults})\n`, EXIT.failure);
  if (options.output === 'table') terminal.out('\ngo: this version can take the place of the one that serves\n');
}

async function findingsOf(
  dir: string | undefined,
  { file, backups, backupAge }: UpgradeOptions,
  terminal: Terminal,
): Promise<Finding[]> {
  const [{ loadPlatform }, { placeText }, { fault, ok }, { examineUpgrade }, { unreadableFiles }] = await Promise.all([
    import('#config/load.ts'),
    import('#config/problem.ts'),
    import('#runtime/doctor/finding.ts'),
    import('#runtime/upgrade/examine.ts'),
    import('./named-files.ts'),
  ]);
  const loaded = loadPlatform(file, { env: terminal.env, flags: { 'storage.dir': dir } });
  const name = 'platform file';
  if ('problems' in loaded)
    return loaded.problems.map((problem) => {
      const key = problem.path === '' ? '' : `${problem.path}: `;
      return fault(name, `${placeText(problem)}: ${key}${problem.message}`, problem.mend);
    });
  const { platform } = loaded;
  const mend = 'relative paths start at the platform file; check the permissions of the file and its directories';
  const unreadable = unreadableFiles(platform).map((text) => fault(name, text, mend));
  const wish = { place: backups ?? null, ageMsMax: backupAge };
  return [
    ...(unreadable.length === 0 ? [ok(name, `${file} is taken by this version`)] : unreadable),
    ...(await examineUpgrade(platform, wish, Date.now())),
  ];
}

/** A path of the command line that is not there is wrong usage; what is in a file is an answer of the check. */
function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new CliError(
      `skep: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})\n`,
      EXIT.usage,
    );
  }
}

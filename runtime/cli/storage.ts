/** `skep storage check|repair|accept|dump`: verbs on a stopped data directory. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { CheckReport } from '#storage/check.ts';
import type { RepairReport } from '#storage/repair.ts';
import { giveTo, ownerOf } from './keep-owner.ts';
import { outputOption, renderRecord, type OutputFormat } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

export function addStorage(program: Command, terminal: Terminal): void {
  const storage = program
    .command('storage')
    .description('check, repair or dump a stopped data directory')
    .enablePositionalOptions();
  storage
    .command('check')
    .description(
      'verify every value, journal record and sequence, and compare indexes with rows in both directions; exit 1 when there is a fault',
    )
    .argument('<dir>', 'the data directory')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  skep storage check .skep')
    .action(async (dir: string, options: { output: OutputFormat }) => {
      const { checkDirectory } = await import('./shard-verbs.ts');
      const report = await stopped(dir, () => checkDirectory(dir)).catch(fail);
      terminal.out(reportText(report, options.output));
      if (report.faultCount > 0) throw new CliError(faultText(report));
    });
  storage
    .command('repair')
    .description(
      'rebuild indexes, counts and file uses that do not match their rows; exit 1 when an unreadable row is left',
    )
    .argument('<dir>', 'the data directory')
    .option('--drop-rows', 'remove unreadable rows, after their bytes were written to set-aside.jsonl in the directory')
    .option(
      '--drop-records',
      'drop unreadable records of a damaged journal: their acknowledged writes are lost; readable records are applied',
    )
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  skep storage check .skep || skep storage repair .skep --drop-rows')
    .action(async (dir: string, options: { output: OutputFormat; dropRows?: boolean; dropRecords?: boolean }) => {
      const { repairDirectory } = await import('./shard-verbs.ts');
      const wish = { dropRows: options.dropRows === true, dropRecords: options.dropRecords === true };
      const report = await stopped(dir, () => repairDirectory(dir, wish)).catch(fail);
      terminal.out(repairText(report, options.output));
      const left = leftText(report);
      if (left !== '') throw new CliError(left);
    });
  storage
    .command('accept')
    .description('accept a directory that was restored from an older copy on purpose: updates its mark (storage.mark)')
    .argument('<dir>', 'the data directory')
    .requiredOption('--mark <file>', 'the mark: storage.mark of the platform file')
    .addHelpText('after', '\nExample:\n  skep storage accept .skep --mark /mnt/second/skep.mark')
    .action(async (dir: string, { mark }: { mark: string }) => {
      const { acceptDirectory } = await import('#storage/outside-mark.ts');
      const { epoch } = await stopped(dir, () => acceptDirectory(dir, mark)).catch(fail);
      terminal.out(`${mark} knows ${dir} as it is now, after ${epoch} starts\n`);
    });
  storage
    .command('dump')
    .description('print every entry as one line of JSON (API keys are there as hashes only)')
    .argument('<dir>', 'the data directory')
    .addHelpText('after', '\nExample:\n  skep storage dump .skep | head')
    .action(async (dir: string) => {
      const { dumpDirectory } = await import('./shard-verbs.ts');
      const faults = await stopped(dir, () => dumpDirectory(dir, (bytes) => terminal.out(bytes))).catch(fail);
      if (faults.length > 0) throw new CliError(faults.map((fault) => `skep: ${fault}\n`).join(''));
    });
}

/** An expected failure is one line. */
function fail(error: unknown): never {
  throw error instanceof CliError ? error : new CliError(`skep: ${(error as Error).message}\n`);
}

/** Runs a verb on a store that no node has open. */
async function stopped<T>(dir: string, work: () => Promise<T>): Promise<T> {
  if (!existsSync(join(dir, 'shards'))) {
    throw new CliError(
      `skep: ${dir} holds no store\n    name a data directory: storage.dir of the platform file, .skep for the demo\n`,
      EXIT.usage,
    );
  }
  const { lockDirectory } = await import('#storage/lock.ts');
  const lock = await lockDirectory(dir).catch((error: unknown) => {
    throw new CliError(`skep: ${(error as Error).message}\n`);
  });
  try {
    return await work();
  } finally {
    giveTo(ownerOf(dir), dir);
    lock.release();
  }
}

function reportText(report: CheckReport, format: OutputFormat): string {
  if (format === 'json') return `${JSON.stringify(report, null, 2)}\n`;
  const { shards, journals, faultCount, kinds } = report;
  const counts = {
    shards: shards.length,
    entries: sum(shards.map((shard) => shard.entries)),
    journals: journals.length,
    records: sum(journals.map((journal) => journal.records)),
    faults: faultCount,
    ...Object.fromEntries(Object.entries(kinds).map(([kind, count]) => [`faults of kind ${kind}`, count])),
  };
  return renderRecord(counts, 'table');
}

function repairText(report: RepairReport, format: OutputFormat): string {
  if (format === 'json') return `${JSON.stringify(report, null, 2)}\n`;
  const { rewritten, mended, rowsLeft, setAside, givenUp } = report;
  const counts = Object.fromEntries(Object.entries(mended).map(([kind, count]) => [`mended of kind ${kind}`, count]));
  const lost = Object.fromEntries(
    givenUp.map(({ from, to, where }) => [`records given up at ${where}`, `${from} to ${to}`]),
  );
  const rows = { 'rows that cannot be read': rowsLeft, 'rows taken out lie in': setAside ?? 'none' };
  return renderRecord({ 'shards written anew': rewritten.length, ...counts, ...lost, ...rows }, 'table');
}

/** The message about unreadable rows and shards that a repair left. */
function leftText({ rowsLeft, unread = {} }: RepairReport): string {
  const shards = Object.entries(unread).map(([no, { what }]) => `skep: shard ${no}: ${what}\n`);
  if (rowsLeft === 0) return shards.join('');
  const mend = 'skep storage check lists them; restore their tenant from a backup, or remove them with --drop-rows';
  return `${shards.join('')}skep: ${rowsLeft} rows cannot be read and are still there\n    ${mend}\n`;
}

function faultText({ faults, faultCount }: CheckReport): string {
  const more = faultCount > faults.length ? `and ${faultCount - faults.length} more\n` : '';
  return faults.map((fault) => `${fault.kind}: ${fault.where}: ${fault.what}\n`).join('') + more;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

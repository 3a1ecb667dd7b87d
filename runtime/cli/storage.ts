/** `skep storage check|dump`: what a stopped data directory holds. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { CheckReport } from '#storage/check.ts';
import { outputOption, renderRecord } from './output.ts';
import type { OutputFormat } from './output.ts';
import { CliError, EXIT } from './terminal.ts';
import type { Terminal } from './terminal.ts';

export function addStorage(program: Command, terminal: Terminal): void {
  const storage = program
    .command('storage')
    .description('look into a stopped data directory')
    .enablePositionalOptions();
  storage
    .command('check')
    .description('verify every CRC, every journal record and every sequence; exit 1 when there is a fault')
    .argument('<dir>', 'the data directory')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  skep storage check .skep')
    .action(async (dir: string, options: { output: OutputFormat }) => {
      const { checkStorage } = await import('#storage/check.ts');
      const report = await stopped(dir, () => checkStorage(dir));
      terminal.out(reportText(report, options.output));
      if (report.faultCount > 0) throw new CliError(faultText(report));
    });
  storage
    .command('dump')
    .description('print every entry as one line of JSON (API keys are there as hashes only)')
    .argument('<dir>', 'the data directory')
    .addHelpText('after', '\nExample:\n  skep storage dump .skep | head')
    .action(async (dir: string) => {
      const { dumpStorage } = await import('#storage/dump.ts');
      await stopped(dir, () => dumpStorage(dir, (line) => terminal.out(`${line}\n`)));
    });
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

function faultText({ faults, faultCount }: CheckReport): string {
  const more = faultCount > faults.length ? `and ${faultCount - faults.length} more\n` : '';
  return faults.map((fault) => `${fault.kind}: ${fault.where}: ${fault.what}\n`).join('') + more;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** What `skep audit query` does: the signed records of a directory that fit. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { wishOf } from '#actors/audit/query.ts';
import { readCheckpoint } from '#storage/segment/checkpoint.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { readBundles } from '#storage/segment/verify/read-bundles.ts';
import { renderRows } from './output.ts';
import type { OutputFormat } from './output.ts';
import { CliError, EXIT } from './terminal.ts';
import type { Terminal } from './terminal.ts';

export interface QueryOptions {
  readonly output: OutputFormat;
  readonly from?: string;
  readonly limit?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly outcome?: string;
  readonly source?: string;
  readonly since?: string;
  readonly until?: string;
}

const COLUMNS = ['seq', 'ts', 'source', 'actor', 'action', 'target', 'outcome', 'told_by'];

/** Prints the records; nothing is verified here. */
export async function auditQuery(
  directory: string,
  { output, ...filters }: QueryOptions,
  terminal: Terminal,
): Promise<void> {
  const given = Object.entries(filters).filter((one) => one[1] !== undefined);
  const wish = wishOf(new URLSearchParams(given));
  if (typeof wish === 'string') throw new CliError(`skep: ${wish}\n`, EXIT.usage);
  if (!existsSync(join(directory, 'checkpoint')))
    throw new CliError(`skep: ${directory} holds no log with a checkpoint\n`, EXIT.usage);
  const files = readOnlyFiles(directory);
  const size = readCheckpoint((await files.read('checkpoint'))!)?.size ?? 0;
  const rows: Record<string, unknown>[] = [];
  for await (const { index, entry } of readBundles(files, size, [])) {
    if (index < wish.from || entry === null) continue; // null: pruned
    const record = JSON.parse(entry.toString()) as Record<string, unknown>;
    if (wish.fits(record)) rows.push(record);
    if (rows.length === wish.limit) break;
  }
  terminal.out(renderRows(rows, output, COLUMNS));
}

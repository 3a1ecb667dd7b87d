/** `skep audit query`: prints the matching signed records of a log, from its directory or from the audit service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { wishOf } from '#actors/audit/query.ts';
import { readCheckpoint } from '#storage/segment/checkpoint.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { readBundles } from '#storage/segment/verify/read-bundles.ts';
import { renderRows, type OutputFormat } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

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

/** Prints the records without verifying them. */
export async function auditQuery(
  directory: string,
  { output, ...filters }: QueryOptions,
  terminal: Terminal,
): Promise<void> {
  const given = Object.entries(filters).filter((one): one is [string, string] => one[1] !== undefined);
  const wish = wishOf(new URLSearchParams(given));
  if (typeof wish === 'string') throw new CliError(`skep: ${wish}\n`, EXIT.usage);
  const isUrl = /^https?:\/\//.test(directory);
  const found = isUrl ? await overHttp(directory, given, wish.limit, terminal) : await inDirectory(directory, wish);
  terminal.out(renderRows(found, output, COLUMNS));
}

/** Requests the records page by page, with the bearer token of SKEP_TOKEN: that of an administrator of the tenant, or of an auditor. */
async function overHttp(
  url: string,
  given: readonly (readonly [string, string])[],
  limit: number,
  terminal: Terminal,
): Promise<Record<string, unknown>[]> {
  const token = terminal.env['SKEP_TOKEN'];
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const found: Record<string, unknown>[] = [];
  for (let from = given.find(([name]) => name === 'from')?.[1] ?? '0'; ;) {
    const query = new URLSearchParams({ ...Object.fromEntries(given), from, limit: String(limit - found.length) });
    const page = await pageOf(`${url.replace(/\/$/, '')}/records?${query.toString()}`, headers);
    found.push(...page.records);
    if (page.next === null || found.length >= limit) return found;
    from = String(page.next);
  }
}

interface RecordsPage {
  readonly records: readonly Record<string, unknown>[];
  readonly next: number | null;
}

async function pageOf(url: string, headers: Readonly<Record<string, string>>): Promise<RecordsPage> {
  try {
    const answer = await fetch(url, { headers });
    const body = (await answer.json()) as RecordsPage & { code?: string; error?: string };
    if (answer.ok) return body;
    throw new CliError(`skep: ${body.code ?? `status ${answer.status}`}: ${body.error ?? 'no reason given'}\n`);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { message, cause } = error as Error;
    throw new CliError(`skep: ${url}: ${cause instanceof Error ? cause.message : message}\n`);
  }
}

async function inDirectory(
  directory: string,
  wish: Exclude<ReturnType<typeof wishOf>, string>,
): Promise<Record<string, unknown>[]> {
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
  return rows;
}

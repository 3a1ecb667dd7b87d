/** `skep user import <file>`: users of another system with their password hashes, read as a stream, some hundred in each step. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Option, type Command } from 'commander';
import { limits } from '#config/limits.ts';
import { CSV, csvFault, hasText, headerFault, rowOfCells, rowOfLine } from '#actors/identity/import/read-rows.ts';
import type { RawRow } from '#actors/identity/import/read-rows.ts';
import type { ImportAnswer, RowAnswer } from '#actors/identity/import/shapes.ts';
import { askNodeOften, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface ImportOptions extends OperatorOptions {
  readonly tenant: string;
  readonly format?: 'csv' | 'jsonl';
}

const { stepRows, lineCharsMax } = limits.userImport;
/** Refused rows that are named one by one. */
const NAMED_MAX = 100;

export function addUserImport(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'import',
    'import users with the password hashes of another system; existing users stay as they are, so that it can be repeated',
    'skep user import users.ndjson -f platform.yaml --tenant acme:atlas:dev:main',
  )
    .argument('<file>', 'one JSON object a line, or CSV with a header line; - for standard input')
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(new Option('--format <format>', 'by default as the file’s name ends').choices(['csv', 'jsonl']))
    .action(async (file: string, options: ImportOptions) => {
      const platform = await platformOf(options.file, terminal);
      const format = options.format ?? formatOfName(file);
      const counts = await askNodeOften(platform, (ask) =>
        importAll(rowsOf(file, format), options.tenant, ask, terminal),
      );
      terminal.out(renderRecord({ tenant: options.tenant, ...counts }, options.output));
      if (counts.refused > 0) throw new CliError(`skep: ${counts.refused} rows were refused\n`, EXIT.failure);
    });
}

function formatOfName(file: string): 'csv' | 'jsonl' {
  if (/\.csv$/i.test(file)) return 'csv';
  if (/\.(nd)?jsonl?$/i.test(file)) return 'jsonl';
  throw new CliError(
    `skep: ${file}: neither .csv nor .ndjson or .jsonl\n    name the format with --format\n`,
    EXIT.usage,
  );
}

type Ask = (verb: string, body: unknown) => Promise<unknown>;
type Counts = Record<'imported' | 'existing' | 'refused', number>;

async function importAll(rows: AsyncIterable<RawRow>, tenant: string, ask: Ask, terminal: Terminal): Promise<Counts> {
  const counts: Counts = { imported: 0, existing: 0, refused: 0 };
  let done = 0;
  const step = async (batch: readonly RawRow[]): Promise<void> => {
    const answer = (await ask('user.import', { tenant, rows: batch })) as ImportAnswer;
    for (const name of ['imported', 'existing', 'refused'] as const) counts[name] += answer[name];
    const refused = answer.rows.filter(({ result }) => result === 'refused');
    const before = counts.refused - refused.length;
    for (const row of refused.slice(0, Math.max(0, NAMED_MAX - before))) terminal.err(told(done, row));
    done += batch.length;
  };
  let batch: RawRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < stepRows) continue;
    await step(batch);
    batch = [];
  }
  if (batch.length > 0) await step(batch);
  return counts;
}

const told = (done: number, { row, email, code, error }: RowAnswer): string =>
  `row ${done + row}${email === null ? '' : ` ${email}`}: ${code} ${error}\n`;

async function* rowsOf(file: string, format: 'csv' | 'jsonl'): AsyncIterable<RawRow> {
  const source: Readable = file === '-' ? process.stdin : createReadStream(file);
  yield* format === 'csv' ? csvOf(source) : linesOf(source);
}

async function* linesOf(source: Readable): AsyncIterable<RawRow> {
  const lines = createInterface({ input: source, crlfDelay: Infinity });
  // An error of the stream is no error of the lines (a file that is not there).
  const failed = new Promise<never>((_, reject) => source.once('error', reject));
  failed.catch(() => lines.close());
  for await (const line of lines) {
    if (line.length > lineCharsMax) yield { fault: `the line has more than ${lineCharsMax} characters` };
    else if (hasText(line)) yield rowOfLine(line);
  }
  if (source.errored !== null) await failed;
}

async function* csvOf(source: Readable): AsyncIterable<RawRow> {
  const { parse } = await import('csv-parse');
  const parser = parse(CSV);
  source.once('error', (error) => parser.destroy(error));
  let header: readonly string[] | null = null;
  try {
    for await (const cells of source.pipe(parser) as AsyncIterable<string[]>) {
      if (header !== null) yield rowOfCells(header, cells);
      else {
        const fault = headerFault(cells);
        if (fault !== null) throw new CliError(`skep: ${fault}\n`, EXIT.usage);
        header = cells;
      }
    }
  } catch (error) {
    if (error instanceof CliError || !(error as { code?: string }).code?.startsWith('CSV')) throw error;
    throw new CliError(`skep: the file is not valid CSV: ${csvFault(error)}\n`, EXIT.failure);
  }
}

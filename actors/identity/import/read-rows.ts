/** The rows of an import: JSON (`{users: […]}` or a list), JSON lines, or CSV with a header line. What a row says is judged later, row by row. */
import { limits } from '#config/limits.ts';
import { parseJson } from '#actors/kit/json.ts';
import { shown } from '#actors/kit/shown.ts';

/** A row as it came; a string says why it is none. */
export type RawRow = { readonly value: unknown } | { readonly fault: string };

export type Rows =
  | { readonly ok: true; readonly rows: readonly RawRow[] }
  | { readonly ok: false; readonly fault: string };

const { rowsMax } = limits.userImport;
const TOO_MANY = `an import has at most ${rowsMax} rows: send more in further requests, or use skep user import`;

export type ImportFormat = 'json' | 'jsonl' | 'csv';

const FORMATS: ReadonlyMap<string, ImportFormat> = new Map([
  ['application/x-ndjson', 'jsonl'],
  ['application/jsonl', 'jsonl'],
  ['text/csv', 'csv'],
]);

/** The format of a `Content-Type`: JSON, as in every route of identity, unless it names another one of an import. */
export function formatOfType(header: string | undefined): ImportFormat {
  return FORMATS.get((header ?? '').split(';')[0]!.trim().toLowerCase()) ?? 'json';
}

/** The rows of a whole body, at most `rowsMax` of them. */
export async function readRows(format: ImportFormat, text: string): Promise<Rows> {
  const read = format === 'csv' ? await csvRows(text) : format === 'jsonl' ? linesOf(text) : jsonRows(text);
  if (!read.ok) return read;
  if (read.rows.length === 0) return { ok: false, fault: 'the body has no users' };
  return read.rows.length > rowsMax ? { ok: false, fault: TOO_MANY } : read;
}

function jsonRows(text: string): Rows {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, fault: `the body is not valid JSON: ${parsed.fault}` };
  const { value } = parsed;
  const list = Array.isArray(value) ? value : (value as { users?: unknown } | null)?.users;
  if (!Array.isArray(list)) return { ok: false, fault: 'the body is neither {"users": […]} nor a list of users' };
  return { ok: true, rows: list.map((one: unknown) => ({ value: one })) };
}

function linesOf(text: string): Rows {
  return { ok: true, rows: text.split('\n').filter(hasText).map(rowOfLine) };
}

export const hasText = (line: string): boolean => line.trim() !== '';

export function rowOfLine(line: string): RawRow {
  const parsed = parseJson(line);
  return parsed.ok ? parsed : { fault: `the line is not valid JSON: ${parsed.fault}` };
}

async function csvRows(text: string): Promise<Rows> {
  const { parse } = await import('csv-parse/sync');
  let lines: string[][];
  try {
    lines = parse(text, CSV);
  } catch (error) {
    return { ok: false, fault: `the body is not valid CSV: ${csvFault(error)}` };
  }
  const [header = [], ...cells] = lines;
  const fault = headerFault(header);
  return fault === null ? { ok: true, rows: cells.map((line) => rowOfCells(header, line)) } : { ok: false, fault };
}

/** The line and the code of the parser's error; its text may hold a piece of the body. */
export function csvFault(error: unknown): string {
  const { code, lines } = error as { code?: string; lines?: number };
  return `${code ?? 'it cannot be read'}${lines === undefined ? '' : `, line ${lines}`}`;
}

/** Options of csv-parse, for a body and for the file of the command line. */
export const CSV = {
  bom: true,
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: limits.userImport.lineCharsMax,
} as const;

const COLUMNS: ReadonlySet<string> = new Set([
  'email',
  'verified',
  'firstname',
  'lastname',
  'roles',
  'password_hash',
  'external_id',
  'created_at',
]);

/** Null, or what is wrong with a header line. */
export function headerFault(header: readonly string[]): string | null {
  if (!header.includes('email')) return 'the first line names the columns, and among them is "email"';
  const unknown = header.find((column) => !COLUMNS.has(column));
  if (unknown !== undefined) return `unknown column "${shown(unknown)}"; known are ${[...COLUMNS].join(', ')}`;
  const twice = header.find((column, at) => header.indexOf(column) !== at);
  return twice === undefined ? null : `the column "${shown(twice)}" stands twice`;
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** An empty cell counts as not given; roles are separated by blanks, commas or semicolons. */
export function rowOfCells(header: readonly string[], cells: readonly string[]): RawRow {
  if (cells.length !== header.length)
    return { fault: `${cells.length} cells; the first line names ${header.length} columns` };
  const row: Record<string, unknown> = {};
  for (const [at, column] of header.entries()) {
    const text = cells[at]!;
    if (text === '') continue;
    if (column === 'roles') row[column] = text.split(/[\s,;]+/).filter((role) => role !== '');
    else if (column === 'verified') row[column] = TRUTHS.get(text.toLowerCase()) ?? text;
    else row[column] = text;
  }
  return { value: row };
}

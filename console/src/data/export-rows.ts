/**
 * Rows of a view as a file that the browser makes: asked page by page as JSON, since the export of the node (docs/contract/data.md §7.3) takes conditions of equality alone and is not at this
 * listener. CSV is written as the node writes it, so that an import brings back what was exported. No part of it knows the network.
 */
import { guarded } from './formula.ts';
import type { Envelope, Field, Row } from './shapes.ts';

export const FORMATS = ['csv', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];

/** Rows of one request. */
const PAGE_ROWS = 1000;
/** The file is in the memory of the page until it is saved. */
export const EXPORT_ROWS_MAX = 200_000;

export type AskPage = (after: string, limit: number) => Promise<Envelope>;

export interface Taken {
  readonly parts: readonly string[];
  readonly rows: number;
  /** Whether there are more rows than were taken. */
  readonly isCut: boolean;
}

/** Takes all rows, or the first ones. `told` hears how many there are after each page; it gives false to stop, and the rows up to there are the file. */
export async function takeRows(
  fields: readonly Field[],
  format: Format,
  ask: AskPage,
  told: (rows: number) => boolean,
  most = EXPORT_ROWS_MAX,
): Promise<Taken> {
  const write = format === 'csv' ? csvOf(fields) : linesOf(fields);
  const parts = format === 'csv' ? [csvHead(fields)] : [];
  let rows = 0;
  for (let after = ''; ;) {
    const { data, page } = await ask(after, Math.min(PAGE_ROWS, most - rows));
    parts.push(data.map(write).join(''));
    rows += data.length;
    const goesOn = page?.has_next_page === true && page.end_cursor !== null;
    if (!told(rows) || !goesOn || rows >= most) return { parts, rows, isCut: goesOn };
    after = page.end_cursor!;
  }
}

const linesOf =
  (fields: readonly Field[]) =>
  (row: Row): string =>
    `${JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null])))}\n`;

const NEEDS_QUOTES = /[",\r\n]|^\\N$/;
const quoted = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const csvHead = (fields: readonly Field[]): string => `${fields.map(({ name }) => quoted(name)).join()}\r\n`;

export const csvOf =
  (fields: readonly Field[]) =>
  (row: Row): string =>
    `${fields.map((field) => cellOf(row[field.name], field)).join()}\r\n`;

/** Null of a field with a default is written out: an empty cell there would mean the default. */
function cellOf(value: unknown, field: Field): string {
  const { type, default: given, default_from: from } = field;
  if (value === null || value === undefined) return given === undefined && from === undefined ? '' : '\\N';
  if (type === 'json' || typeof value !== 'string') return quoted(JSON.stringify(value));
  if (value === '') return '""';
  return quoted(guarded(value, field));
}

/** The formats of bulk data: how one is asked for, read and written (docs/contract/data.md §7.1). */
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { LineReader } from './line.ts';
import { csvReader } from './read-csv.ts';
import { JsonReader } from './read-json.ts';
import { JsonlReader } from './read-jsonl.ts';

export type Format = 'csv' | 'json' | 'jsonl';

const SPELLINGS: ReadonlyMap<string, Format> = new Map([
  ['csv', 'csv'],
  ['json', 'json'],
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
]);

/** The format that a parameter names, `json` when there is none; undefined for an unknown one. */
export function formatOf(text: string | null): Format | undefined {
  return text === null || text === '' ? 'json' : SPELLINGS.get(text.toLowerCase());
}

/** A reader of imported data; `escapeFormulas` says whether CSV has apostrophes before formulas, as an export has. */
export async function readerOf(format: Format, model: EntityModel, escapeFormulas = true): Promise<LineReader> {
  if (format === 'csv') return csvReader(model, escapeFormulas);
  return format === 'json' ? new JsonReader() : new JsonlReader();
}

/** Content types of the formats that are not JSON. */
export const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

/** The first rows of a file that is to be imported, as the page shows them before anything is sent. What the node reads of it, the node says (docs/contract/data.md §7). Pure. */
import { cellText, CsvRows, separatorOf } from './csv-rows.ts';

export const FORMATS = ['csv', 'json', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];

/** How much of a file is looked at. */
export const PREVIEW_BYTES = 65_536;
const ROWS_MAX = 5;

export interface Preview {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** By the end of its name; CSV where that says nothing. */
export function formatOf(name: string): Format {
  if (/\.json$/i.test(name)) return 'json';
  return /\.(?:jsonl|ndjson)$/i.test(name) ? 'jsonl' : 'csv';
}

/** `text` is the begin of the file. Null where nothing of it can be shown, as of a long row. */
export function previewOf(text: string, format: Format): Preview | null {
  if (format === 'csv') return ofCsv(text.replace(/^\uFEFF/, ''));
  const objects = format === 'json' ? firstOfList(text) : firstLines(text);
  if (objects.length === 0) return null;
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  return { columns, rows: objects.map((one) => columns.map((name) => shown(one[name]))) };
}

type Values = Readonly<Record<string, unknown>>;

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const firstLines = (text: string): Values[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, ROWS_MAX)
    .map(parsed)
    .filter(isValues);

/** The first objects of a list, also of one whose end is not there. */
function firstOfList(text: string): Values[] {
  const whole = parsed(text);
  if (whole !== undefined) return [whole].flat().filter(isValues).slice(0, ROWS_MAX);
  const found: Values[] = [];
  let begin = text.indexOf('{');
  for (let end = begin; found.length < ROWS_MAX && begin >= 0;) {
    end = text.indexOf('}', end + 1);
    if (end < 0) break;
    const one = parsed(text.slice(begin, end + 1));
    if (!isValues(one)) continue;
    found.push(one);
    begin = text.indexOf('{', end);
    end = begin;
  }
  return found;
}

function ofCsv(text: string): Preview | null {
  const split = new CsvRows(separatorOf(text));
  const [columns, ...rows] = [...split.read(text), ...split.end()]
    .slice(0, ROWS_MAX + 1)
    .map(({ cells }) => cells.map((cell) => cellText(cell.trim())));
  return columns === undefined ? null : { columns, rows };
}

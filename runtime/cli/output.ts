/** `--output table|json`: rows for people or for programs. Spec: docs/contract/platform.md §1.3. */
import { Option } from 'commander';

export type Row = Readonly<Record<string, unknown>>;
export type OutputFormat = 'table' | 'json';

/** The option that verbs with rows share. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(['table', 'json']).default('table');
}

/** The rows as text. Columns are those of the first row unless named; numbers are right-aligned; null and absent values are empty. */
export function renderRows(rows: readonly Row[], format: OutputFormat, columns?: readonly string[]): string {
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  const names = columns ?? Object.keys(rows[0] ?? {});
  if (names.length === 0) return '';
  const body = rows.map((row) => names.map((name) => cellText(row[name])));
  const widths = names.map((name, at) => body.reduce((max, cells) => Math.max(max, width(cells[at]!)), width(name)));
  const right = names.map((name) => rows.length > 0 && rows.every((row) => typeof row[name] === 'number'));
  const line = (cells: readonly string[]): string =>
    `${cells
      .map((cell, at) => pad(cell, widths[at]!, right[at]!))
      .join('  ')
      .trimEnd()}\n`;
  return line(names.map((name) => name.toUpperCase())) + body.map(line).join('');
}

/** One record as lines `key  value`, or as a JSON object. */
export function renderRecord(record: Row, format: OutputFormat): string {
  if (format === 'json') return `${JSON.stringify(record, null, 2)}\n`;
  const longest = Object.keys(record).reduce((max, key) => Math.max(max, key.length), 0);
  const lines = Object.entries(record).map(([key, value]) => `${key.padEnd(longest)}  ${cellText(value)}\n`);
  return lines.join('');
}

/** Control characters would let stored text redraw the terminal: they are shown escaped. */
function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, escaped);
}

function escaped(sign: string): string {
  if (sign === '\n') return '\\n';
  return `\\u${sign.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}

function width(text: string): number {
  return Array.from(text).length;
}

function pad(text: string, to: number, right: boolean): string {
  const blank = ' '.repeat(to - width(text));
  return right ? blank + text : text + blank;
}

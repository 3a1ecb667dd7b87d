/** Submissions of one form as CSV (RFC 4180). Texts that a spreadsheet would run as a formula are escaped: submissions come from strangers. */
import type { stringify as Stringify } from 'csv-stringify/sync';
import type { FieldValue, Submission } from './submission.ts';

/** Reads all submissions in order. It is called twice: first for the columns that any submission has, then for the rows. */
export type Walk = (each: (submission: Submission) => void | Promise<void>) => Promise<void>;

/**
 * Gives the lines of the file to `out`, the head first. Columns: the fields that the form declares, then other fields of stored submissions. Numbers
 * stay numbers; of a file the line has the name.
 */
export async function writeCsv(
  walk: Walk,
  declared: readonly string[],
  out: (line: string) => void | Promise<void>,
): Promise<void> {
  const { stringify } = await import('csv-stringify/sync');
  const names = new Set(declared);
  await walk(({ fields }) => {
    for (const name of Object.keys(fields)) names.add(name);
  });
  const columns = [...names];
  await out(line(stringify, ['id', 'received_at', ...columns]));
  await walk(({ id, received_at, fields }) =>
    out(line(stringify, [id, received_at, ...columns.map((name) => cell(fields[name]))])),
  );
}

/** The library would escape a negative number, too, though only a text can be a formula. */
function line(stringify: typeof Stringify, cells: readonly (string | number)[]): string {
  const isNegative = cells.some((value) => typeof value === 'number' && value < 0);
  const options = { escape_formulas: true, record_delimiter: '\r\n' } as const;
  if (!isNegative) return stringify([[...cells]], options);
  const parts = cells.map((value) =>
    stringify([[value]], typeof value === 'number' ? {} : options).replace(/\r?\n$/, ''),
  );
  return `${parts.join(',')}\r\n`;
}

function cell(value: FieldValue | undefined): string | number {
  if (value === undefined) return '';
  if (typeof value === 'object') return value.name;
  return typeof value === 'boolean' ? String(value) : value;
}

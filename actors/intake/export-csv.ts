/** Submissions of one form as CSV (RFC 4180). What a spreadsheet would take for a formula is made text of: submissions come from strangers. */
import type { stringify as Stringify } from 'csv-stringify/sync';
import type { FieldValue, Submission } from './submission.ts';

/** Walks submissions: the rows are made in two walks, for the columns are also those that any of them has. */
export type Walk = (each: (submission: Submission) => void | Promise<void>) => Promise<void>;

/**
 * Gives the lines of the file to `out`, its head first: the fields that the form declares, whether or not a row has them, then those
 * that rows have besides. Numbers stay numbers; a file field gives its name.
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

/** The library would mark a number below zero, too; what is no text is no formula. */
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

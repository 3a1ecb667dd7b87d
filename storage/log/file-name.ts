/** Names of the log's files: `<stem>-2026-01-31.001.jsonl`, then `….002.jsonl` when it is rotated within the day: `ls` gives the order of writing. */

export interface FileName {
  readonly name: string;
  /** UTC date of the file's first day. */
  readonly date: string;
  /** 1 for the first file of a day. */
  readonly no: number;
}

const PATTERN = /^(.+)-(\d{4}-\d{2}-\d{2})\.(\d{3,9})\.jsonl$/;
const NUMBER_DIGITS = 3;

/** The UTC date of an instant (milliseconds since the epoch). */
export function utcDate(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

function fileName(stem: string, date: string, no: number): FileName {
  return { name: `${stem}-${date}.${String(no).padStart(NUMBER_DIGITS, '0')}.jsonl`, date, no };
}

/** The parts of a name, or null when it is not one of this log's files. */
export function parseFileName(stem: string, name: string): FileName | null {
  const match = PATTERN.exec(name);
  if (match === null || match[1] !== stem) return null;
  return { name, date: match[2]!, no: Number(match[3]) };
}

/** The file after `last` on `date`; the date never goes back, so that names sort in the order of writing. */
export function nextFileName(stem: string, last: FileName | null, date: string): FileName {
  if (last === null || last.date < date) return fileName(stem, date, 1);
  return fileName(stem, last.date, last.no + 1);
}

/** Order of writing. */
export function compareFileNames(a: FileName, b: FileName): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  return a.no - b.no;
}

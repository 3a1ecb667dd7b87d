/** Records of a search as a file: JSON lines, newest first. Pure. */
import type { Walked } from './walk.ts';

/** Where a file ends, so that the page can hold it. */
export const EXPORT_CHARS_MAX = 32 * 1024 * 1024;
/** How many pages a file is made of: a search that finds little reads 100,000 records for each. */
const PAGES_MAX = 200;

export interface Exported {
  readonly text: string;
  readonly count: number;
  /** The first record that was read: those below are not in the file; 0 where none is. */
  readonly from: number;
}

export const linesOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** The records before `end` that fit, as far as a file holds them. `read`: a page of those before a number. */
export async function exportOf(
  end: number,
  read: (before: number) => Promise<Pick<Walked, 'from' | 'records'>>,
  charsMax = EXPORT_CHARS_MAX,
): Promise<Exported> {
  const texts: string[] = [];
  let [count, chars, from] = [0, 0, end];
  for (let page = 0; page < PAGES_MAX && from > 0 && chars < charsMax; page++) {
    const walked = await read(from);
    const text = linesOf(walked.records);
    texts.push(text);
    chars += text.length;
    count += walked.records.length;
    ({ from } = walked);
  }
  return { text: texts.join(''), count, from };
}

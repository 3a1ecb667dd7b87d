/** Text that a spreadsheet would run gets an apostrophe where it leaves for one, which is taken away where it comes back (docs/contract/data.md §7). Pure. */
import type { Field } from './shapes.ts';

const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
const FREE: ReadonlySet<string> = new Set(['string', 'text', 'enum']);

export const guarded = (text: string, { type }: Pick<Field, 'type'>): string =>
  FREE.has(type) && FORMULA.test(text) ? `'${text}` : text;

export const unguarded = (text: string, { type }: Pick<Field, 'type'>): string =>
  FREE.has(type) && text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;

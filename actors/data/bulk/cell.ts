/**
 * What both directions of CSV agree on, so that what was exported comes in again as it was. Text that a spreadsheet would run as a formula
 * has an apostrophe before it, and so has text that looks as if it had one; where a field has a default, null is written down.
 */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Column } from '#actors/engine/rows/model.ts';

/** Where spreadsheets begin a formula, their full-width twins included (OWASP "CSV Injection"), behind any apostrophes. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
const ESCAPED = /^'+[=+\-@\t\r＝＋－＠]/;
/** Null of a field with a default, unquoted: an empty cell there means the default. The same text as a value is quoted. */
export const NULL = '\\N';

/** Whether a column holds text that a person chose. */
export const hasFreeText = ({ type }: Column): boolean => FIELD_TYPES[type].text !== null;

export const disarmed = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

export const armed = (text: string): string => (ESCAPED.test(text) ? text.slice(1) : text);

/**
 * Rules that CSV import and export share, so that an import brings back exactly what was exported. An apostrophe is put before text that a
 * spreadsheet would run as a formula, and before text that looks as if it had one; null of a field with a default is written out.
 */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Column } from '#actors/engine/rows/model.ts';

/** Characters that begin a formula in spreadsheets, full-width ones included (OWASP "CSV Injection"), behind any apostrophes. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
const ESCAPED = /^'+[=+\-@\t\r＝＋－＠]/;
/** Null of a field with a default, unquoted: an empty cell there means the default. A value with this text is quoted. */
export const NULL = '\\N';

/** Whether a column holds text that a person chose. */
export const hasFreeText = ({ type }: Column): boolean => FIELD_TYPES[type].text !== null;

export const disarmed = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

export const armed = (text: string): string => (ESCAPED.test(text) ? text.slice(1) : text);

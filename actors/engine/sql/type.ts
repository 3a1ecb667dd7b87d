/** The types of SQL values, and their form. A value has the form in which its field stores it, so that comparisons need no conversion. */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { SqlName } from '#config/values/type-row.ts';
import type { StoredType } from '../schema/stored.ts';

/**
 * integer: 64 bits, a number or, beyond 2^53, its digits · numeric: canonical digits · float: a double · date: YYYY-MM-DD ·
 * timestamp: RFC 3339 in UTC with milliseconds · interval: `{months, days, ms}` · bytes: base64 · json: any JSON value.
 * `unknown` is PostgreSQL's: a text that has no type yet and takes the type that its surroundings need.
 */
export type ScalarType = SqlName | 'interval' | 'unknown';

/** A list of values of one type, null among them; PostgreSQL's arrays of one dimension. */
export type ListType = `${Exclude<ScalarType, 'unknown'>}[]`;

export type SqlType = ScalarType | ListType;

/** The type of a parameter: one value, or (for `= any(:list)`) a list of values. */
export type ParameterType = Exclude<SqlType, 'unknown'>;

export type Value = unknown;

export function typeOfField(type: StoredType): SqlType {
  return FIELD_TYPES[type].sql;
}

const NUMBERS: readonly SqlType[] = ['integer', 'numeric', 'float'];

export function isNumber(type: SqlType): boolean {
  return NUMBERS.includes(type);
}

export function isList(type: SqlType): type is ListType {
  return type.endsWith('[]');
}

/** The type of a list of values of a type; of a list, and of a text without a type, that of a list of texts. */
export function listOf(type: SqlType): ListType {
  return isList(type) || type === 'unknown' ? 'text[]' : `${type}[]`;
}

/** The type of a list's values. */
export function elementOf(type: ListType): Exclude<ScalarType, 'unknown'> {
  return type.slice(0, -2) as Exclude<ScalarType, 'unknown'>;
}

export function isText(type: SqlType): boolean {
  return type === 'text' || type === 'ulid';
}

/** The common type of two types (comparisons, CASE, UNION); null where PostgreSQL has none either. */
export function commonType(a: SqlType, b: SqlType): SqlType | null {
  if (a === b) return a;
  if (a === 'unknown') return b;
  if (b === 'unknown') return a;
  if (isNumber(a) && isNumber(b)) return NUMBERS[Math.max(NUMBERS.indexOf(a), NUMBERS.indexOf(b))]!;
  if (isText(a) && isText(b)) return 'text';
  if ((a === 'date' && b === 'timestamp') || (a === 'timestamp' && b === 'date')) return 'timestamp';
  return null;
}

/** Whether values of a type can be compared, grouped and sorted. */
export function isComparable(type: SqlType): boolean {
  return type !== 'json' && !isList(type);
}

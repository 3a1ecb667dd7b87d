/** Conversions between types: those that PostgreSQL makes by itself, and those that a cast asks for. */
import { decimalText, integerValue, isNumberText } from '#config/values/decimal.ts';
import { calendarDate, instant } from '#config/values/instant.ts';
import { base64, uuid } from '#config/values/value-check.ts';
import { isUlid } from '#config/values/id.ts';
import { shown } from '#actors/kit/shown.ts';
import { limits } from '#config/limits.ts';
import { SqlFault } from '../fault.ts';
import { elementOf, isList, type ListType, type ScalarType, type SqlType, type Value } from '../type.ts';
import { decimalOf, finite, roundEven, textOf } from './float.ts';
import { integerOf, type Integer } from './integer.ts';
import { intervalOf, intervalText, type Interval } from './interval.ts';
import { isObject, jsonText, parseJson } from './json.ts';
import { listText, listTexts } from './list.ts';
import { round } from './numeric.ts';
import { burnText } from './text-cost.ts';

/** A conversion of a value that is not null. Throws SqlFault for a value that has none. */
export type Convert = (value: Value) => Value;

const same: Convert = (value) => value;
const TRUE = /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i;
const FALSE = /^(?:f|fa|fal|fals|false|n|no|of|off|0)$/i;

function invalid(type: string, value: Value): SqlFault {
  return new SqlFault(`invalid input syntax for type ${type}: "${shown(value)}"`);
}

/** Conversions from text. Space around the value is ignored, as PostgreSQL does, except for text. */
const FROM_TEXT: Readonly<Record<ScalarType, ((text: string) => Value) | null>> = {
  integer: (text) => integerValue(text),
  numeric: numericOf,
  float: (text) => (isNumberText(text) ? finite(Number(text)) : undefined),
  boolean: (text) => (TRUE.test(text) ? true : FALSE.test(text) ? false : undefined),
  date: (text) => calendarDate(text),
  timestamp: (text) => instant(text) ?? (calendarDate(text) === undefined ? undefined : `${text}T00:00:00.000Z`),
  uuid,
  bytes: base64,
  interval: intervalOf,
  json: parseJson,
  // See `fromText`.
  text: null,
  ulid: null,
  unknown: null,
};

/** A number as canonical digits; it may have an exponent, or no digit before the point. */
function numericOf(text: string): string | undefined {
  if (!isNumberText(text) || text.length > limits.data.decimalCharsMax) return undefined;
  const [mantissa, exponent] = text.toLowerCase().split('e') as [string, string | undefined];
  const plain = mantissa.replace(/^([+-]?)\./, '$10.').replace(/\.$/, '');
  if (exponent === undefined) return decimalText(plain, limits.data.decimalCharsMax);
  return shifted(plain, Number(exponent));
}

function shifted(text: string, by: number): string | undefined {
  const most = limits.data.decimalCharsMax;
  if (Math.abs(by) > most) return undefined;
  const [whole, rest = ''] = text.replace(/^[+-]/, '').split('.') as [string, string | undefined];
  const point = whole.length + by;
  const digits = whole + rest;
  const before = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const after = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  return decimalText(`${text.startsWith('-') ? '-' : ''}${before}${after === '' ? '' : `.${after}`}`, most);
}

/** A text as a value of a type. A text that is no ULID is kept: no ULID equals it. */
export function fromText(type: SqlType, text: string): Value {
  if (type === 'text' || type === 'unknown') return text;
  burnText(text.length);
  if (isList(type)) return listTexts(text).map((one) => (one === null ? null : fromText(elementOf(type), one)));
  if (type === 'ulid') return isUlid(text.toUpperCase()) ? text.toUpperCase() : text;
  const value = FROM_TEXT[type]?.(text.trim());
  if (value === undefined) throw invalid(NAMES[type] ?? type, text);
  return value;
}

const NAMES: Readonly<Partial<Record<SqlType, string>>> = {
  integer: 'bigint',
  float: 'double precision',
  timestamp: 'timestamp with time zone',
};

const TO_TEXT: Readonly<Record<ScalarType, Convert | null>> = {
  float: (value) => textOf(value as number),
  integer: String,
  boolean: String,
  interval: (value) => intervalText(value as Interval),
  numeric: same,
  text: same,
  ulid: same,
  uuid: same,
  date: same,
  timestamp: same,
  unknown: same,
  json: jsonText,
  bytes: null,
};

/** Conversions that PostgreSQL makes by itself where another type is needed (assignments have more: `assignment`). */
const IMPLICIT: Readonly<Record<string, Convert>> = {
  'integer numeric': String,
  'integer float': Number,
  'numeric float': (value) => finite(Number(value)),
  'date timestamp': (value) => `${String(value)}T00:00:00.000Z`,
  'ulid text': same,
};

const ASSIGNMENT: Readonly<Record<string, Convert>> = {
  'numeric integer': (value) => integerOf(BigInt(round(value as string, 0))),
  'float integer': (value) => {
    const whole = roundEven(value as number);
    if (Math.abs(whole) >= 2 ** 63) throw new SqlFault('bigint out of range');
    return integerOf(BigInt(whole));
  },
  'float numeric': (value) => decimalOf(value as number),
  'timestamp date': (value) => (value as string).slice(0, 10),
  'text ulid': (value) => fromText('ulid', value as string),
};

const EXPLICIT: Readonly<Record<string, Convert>> = {
  'boolean integer': Number,
  'integer boolean': (value) => value !== 0,
  'json integer': (value) => ASSIGNMENT['float integer']!(partOf(value, 'number', 'bigint')),
  'json numeric': (value) => decimalOf(partOf(value, 'number', 'numeric') as number),
  'json float': (value) => partOf(value, 'number', 'double precision'),
  'json boolean': (value) => partOf(value, 'boolean', 'boolean'),
};

/** A JSON value of the kind that the type needs. */
function partOf(value: Value, kind: 'number' | 'boolean', type: string): Value {
  if (typeof value === kind) return value;
  const found = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : value === null ? 'null' : typeof value;
  throw new SqlFault(`cannot cast jsonb ${found} to type ${type}`);
}

/** The conversion that needs no cast; null where there is none. */
export function implicit(from: SqlType, to: SqlType): Convert | null {
  return from === to ? same : (IMPLICIT[`${from} ${to}`] ?? null);
}

/** The conversion for an assignment to a column; every type converts to text. */
export function assignment(from: SqlType, to: SqlType): Convert | null {
  return implicit(from, to) ?? ASSIGNMENT[`${from} ${to}`] ?? (to === 'text' ? toText(from) : null);
}

/** The conversion of `::type`; text converts to every type. */
export function explicit(from: SqlType, to: SqlType): Convert | null {
  const known = assignment(from, to) ?? EXPLICIT[`${from} ${to}`];
  if (known !== undefined && known !== null) return known;
  if (isList(from) && isList(to)) return eachOf(from, to);
  if (from !== 'text' && from !== 'ulid') return null;
  return !isList(to) && FROM_TEXT[to] === null ? null : (value) => fromText(to, value as string);
}

function eachOf(from: ListType, to: ListType): Convert | null {
  const convert = explicit(elementOf(from), elementOf(to));
  if (convert === null) return null;
  return (list) => (list as readonly Value[]).map((value) => (value === null ? null : convert(value)));
}

function toText(from: SqlType): Convert | null {
  if (!isList(from)) return TO_TEXT[from];
  const one = TO_TEXT[elementOf(from)];
  if (one === null) return null;
  return (list) =>
    listText((list as readonly Value[]).map((value) => (value === null ? null : (one(value) as string))));
}

/** A caller's value as a parameter of a type; query strings give texts. Throws SqlFault. */
export function parameterValue(type: SqlType, value: Value): Value {
  if (value === null || value === undefined) return null;
  if (type === 'json') return value;
  if (typeof value === 'string') return fromText(type, value);
  if (typeof value === 'number') return ofNumber(type, value);
  if (typeof value === 'boolean' && type === 'boolean') return value;
  if (typeof value === 'boolean' && type === 'text') return String(value);
  throw invalid(NAMES[type] ?? type, value);
}

function ofNumber(type: SqlType, value: number): Value {
  if (type === 'float') return finite(value);
  if (type === 'numeric') return decimalOf(finite(value));
  const integer: Integer | undefined = type === 'integer' ? integerValue(value) : undefined;
  if (integer !== undefined) return integer;
  if (type === 'text') return textOf(value);
  throw invalid(NAMES[type] ?? type, value);
}

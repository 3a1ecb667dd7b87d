/** What a value of each field type looks like in JSON, and how the text of a query string becomes one. */
import type { FieldType } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { decimalText, integerValue } from './decimal.ts';
import { FileValue } from './file-value.ts';
import { isUlid } from './id.ts';
import { instantMs } from './instant.ts';
import { LongNumber } from './long-number.ts';

export interface TypeRow {
  /** The value as it is stored and shown, or undefined when it is not of the type. */
  readonly of: (value: unknown) => unknown;
  /** The value that a query string means, or undefined; null where the type has no equality. */
  readonly ofText: ((text: string) => unknown) | null;
  readonly expected: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const LONG_FRACTION = /\.\d{10}/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** One way to read each digit: `\d+\.?\d*` would try each cut of a long run of digits. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const text = (value: unknown): unknown => (typeof value === 'string' ? value : undefined);
const decimal = (value: unknown): unknown => decimalText(value, limits.data.decimalCharsMax);
const row = (of: TypeRow['of'], expected: string, ofText: TypeRow['ofText'] = of): TypeRow => ({
  of,
  ofText,
  expected,
});

export const FIELD_TYPES: Readonly<Record<Exclude<FieldType, 'ref'>, TypeRow>> = {
  string: row(text, 'a string'),
  text: row(text, 'a string'),
  enum: row(text, 'a string'),
  integer: row(integerValue, 'a 64-bit integer, as a string beyond 2^53'),
  number: row(finite, 'a number', (given) => (NUMBER.test(given) ? finite(Number(given)) : undefined)),
  decimal: row(decimal, 'a decimal number or its digits as a string'),
  boolean: row((value) => (typeof value === 'boolean' ? value : undefined), 'true or false', truth),
  date: row(calendarDate, 'a calendar date YYYY-MM-DD'),
  datetime: row(instant, 'an RFC 3339 instant with an offset'),
  ulid: row(ulid, 'a ULID'),
  uuid: row(uuid, 'a UUID'),
  bytes: row(base64, 'base64'),
  json: row(plainJson, 'JSON whose numbers a double can hold: send larger ones as strings', null),
  file: row((value) => FileValue.record(value), 'a file part of a multipart body', null),
};

/** The value with its long numbers as doubles; undefined where a number is beyond them, which JSON would show as null. */
function plainJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LongNumber) return plainJson(Number(value));
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    const plain = plainJson(member);
    if (plain === undefined) return undefined;
    if (plain !== member) members[key] = plain;
  }
  return value;
}

function finite(given: unknown): unknown {
  const value = given instanceof LongNumber ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined;
}

function truth(given: string): unknown {
  return given === 'true' ? true : given === 'false' ? false : undefined;
}

/** The date when it exists in the proleptic Gregorian calendar, else undefined. */
export function calendarDate(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? DATE.exec(value) : null;
  if (parts === null) return undefined;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]! || (month === 2 && day === 29 && !leap))
    return undefined;
  return parts[0];
}

/** An RFC 3339 instant as UTC with milliseconds; undefined when it is none or leaves the years 0000 to 9999. */
export function instant(value: unknown): string | undefined {
  if (typeof value !== 'string' || calendarDate(value.slice(0, 10)) === undefined || LONG_FRACTION.test(value))
    return undefined;
  const ms = instantMs(value[10] === ' ' ? `${value.slice(0, 10)}T${value.slice(11)}` : value);
  if (Number.isNaN(ms)) return undefined;
  const utc = new Date(ms).toISOString();
  return utc.length === 24 ? utc : undefined;
}

/** A ULID in upper case. */
function ulid(value: unknown): unknown {
  const upper = typeof value === 'string' && value.length === 26 ? value.toUpperCase() : '';
  return isUlid(upper) ? upper : undefined;
}

/** A UUID in lower case. */
function uuid(value: unknown): unknown {
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined;
}

/** Padded standard base64 in its one canonical form, so that equal bytes are equal text. */
function base64(value: unknown): unknown {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value)) return undefined;
  return Buffer.from(value, 'base64').toString('base64') === value ? value : undefined;
}

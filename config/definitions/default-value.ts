/** Whether a default has the type of its field and keeps its constraints. */
import { RE2JS } from 're2js';
import { limits } from '../limits.ts';
import type { FieldDefinition } from './product.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WHOLE = /^[+-]?\d{1,19}$/;
const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;
/** Of an instant between the years 0000 and 9999. */
const ISO_CHARS = 24;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const isText = (value: unknown): value is string => typeof value === 'string';

const TYPES: Readonly<Record<FieldDefinition['type'], readonly [(value: unknown) => boolean, string]>> = {
  string: [isText, 'a text'],
  text: [isText, 'a text'],
  enum: [isText, 'a text'],
  integer: [isInteger, 'a whole number of 64 bits'],
  number: [(v) => typeof v === 'number' && Number.isFinite(v), 'a number'],
  decimal: [isDecimal, `a decimal number of at most ${limits.data.decimalCharsMax} characters`],
  boolean: [(v) => typeof v === 'boolean', 'true or false'],
  date: [isDay, 'a date YYYY-MM-DD'],
  datetime: [isInstant, 'a time such as 2026-01-31T12:00:00Z'],
  ulid: [(v) => isText(v) && v.length === 26 && ULID.test(v.toUpperCase()), 'a ULID'],
  uuid: [(v) => isText(v) && UUID.test(v), 'a UUID'],
  json: [isJson, 'a value that JSON can write'],
  ref: [(v) => isText(v) || Number.isSafeInteger(v), 'the key of a row'],
  file: [() => false, 'left out: a file has no default'],
  bytes: [(v) => isText(v) && BASE64.test(v) && Buffer.from(v, 'base64').toString('base64') === v, 'base64'],
};

/** What the default should be, or null when it is right. */
export function defaultFault(field: FieldDefinition): string | null {
  const value = field.default;
  if (value === undefined) return null;
  if (value === null) return allowsNull(field) ? null : 'a value: the field takes no null';
  const [fits, words] = TYPES[field.type];
  if (hasHalves(value))
    return `${words}, without half of a surrogate pair: no caller could send it, and not all can read it`;
  return fits(value) ? constraintFault(field, value) : words;
}

/** A field may be null unless it says otherwise; a required one only when it says so. */
export function allowsNull(field: FieldDefinition): boolean {
  return field.nullable ?? field.required !== true;
}

function constraintFault(field: FieldDefinition, value: unknown): string | null {
  const { min, max, min_length: shortest, max_length: longest, pattern } = field;
  if (min !== undefined && Number(value) < min) return `at least ${min}`;
  if (max !== undefined && Number(value) > max) return `at most ${max}`;
  if (field.enum !== undefined && !field.enum.includes(value as string)) return `one of ${field.enum.join(', ')}`;
  if (!isText(value)) return null;
  const length = Array.from(value).length;
  if (shortest !== undefined && length < shortest) return `at least ${shortest} characters long`;
  if (longest !== undefined && length > longest) return `at most ${longest} characters long`;
  return pattern === undefined || finds(pattern, value) ? null : `a match of ${pattern}`;
}

/** A bad pattern is a fault of its own, told elsewhere. */
function finds(pattern: string, value: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(value).find();
  } catch {
    return true;
  }
}

function isInteger(value: unknown): boolean {
  if (!isText(value)) return Number.isSafeInteger(value);
  return WHOLE.test(value) && BigInt(value) >= LONG_MIN && BigInt(value) <= LONG_MAX;
}

/** A number that is shown with an exponent has no digits to keep. */
function isDecimal(value: unknown): boolean {
  const text = typeof value === 'number' ? String(value) : value;
  return isText(text) && text.length <= limits.data.decimalCharsMax && DECIMAL.test(text);
}

/** YAML has infinities and NaN, which JSON would write as null. */
/** YAML can write what strict JSON refuses in a request. */
function hasHalves(value: unknown): boolean {
  if (isText(value)) return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => !key.isWellFormed() || hasHalves(member));
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson);
}

function isDay(value: unknown): boolean {
  if (!isText(value) || !DATE.test(value)) return false;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

function isInstant(value: unknown): boolean {
  if (!isText(value) || !INSTANT.test(value) || !isDay(value.slice(0, 10))) return false;
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString().length === ISO_CHARS;
}

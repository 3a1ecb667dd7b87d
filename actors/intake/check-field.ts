/**
 * Checkers of single values, compiled once from a form's field. A checker gives the value to store, or adds its reasons and gives undefined. JSON
 * values must have the declared type; texts of other bodies are converted to it.
 */
import type { FormField, FormFieldType } from '#config/definitions/form.ts';
import type { FORM_FORMATS } from '#config/definitions/format.ts';
import { limits } from '#config/limits.ts';
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { compilePattern } from '#actors/kit/pattern.ts';
import type { FieldValue, StoredFile } from './submission.ts';
import { isUuid } from '#config/values/id.ts';
import { calendarDate } from '#config/values/instant.ts';

export type CheckValue = (value: unknown, asText: boolean, reasons: string[]) => FieldValue | undefined;

/** Tests a value of the right type; gives the reason when the value fails. */
type Test<V> = (value: V) => string | null;

const CHECKERS: Readonly<Record<FormFieldType, (field: FormField) => CheckValue>> = {
  string: (field) => text([...lengths(field), ...patterns(field)]),
  email: (field) => text([...lengths(field), isEmail]),
  url: (field) => text([...lengths(field), isUrl]),
  date: () => text([isDate]),
  enum: (field) => text([isOneOf(field.enum ?? [])]),
  integer: (field) => number('must be an integer', Number.isSafeInteger, ranges(field)),
  number: (field) => number('must be a number', Number.isFinite, ranges(field)),
  boolean: () => boolean,
  file: (field) => file(field.max_length),
};

/** The checker of a field. Throws an error that says what is wrong with the declaration. */
export function compileField(field: FormField): CheckValue {
  return CHECKERS[field.type](field);
}

/** Formats of `string` fields. */
const FORMATS: Readonly<Record<(typeof FORM_FORMATS)[number], Test<string>>> = {
  email: isEmail,
  url: isUrl,
  date: isDate,
  uuid: (value) => (isUuid(value) ? null : 'must be a UUID'),
};

function text(tests: readonly Test<string>[]): CheckValue {
  return (value, _asText, reasons) => {
    if (typeof value !== 'string') {
      reasons.push('must be a string');
      return undefined;
    }
    return passed(value, tests, reasons);
  };
}

function number(expected: string, isKind: (value: number) => boolean, tests: readonly Test<number>[]): CheckValue {
  return (value, asText, reasons) => {
    const read = asText ? numberOf(value as string) : value;
    if (typeof read !== 'number' || !isKind(read)) {
      reasons.push(expected);
      return undefined;
    }
    return passed(read, tests, reasons);
  };
}

const TRUE_TEXTS = new Set(['true', '1', 'on', 'yes']);
const FALSE_TEXTS = new Set(['false', '0', 'off', 'no']);

/** A browser sends `on` for a checked box, and nothing for an unchecked one. */
function boolean(value: unknown, asText: boolean, reasons: string[]): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (asText && TRUE_TEXTS.has(value as string)) return true;
  if (asText && FALSE_TEXTS.has(value as string)) return false;
  reasons.push('must be true or false');
}

/** Only a multipart body can have a file; `max_length` is in bytes. */
function file(bytesMax: number | undefined): CheckValue {
  const tests: Test<StoredFile>[] = [];
  if (bytesMax !== undefined)
    tests.push(({ size }) => (size <= bytesMax ? null : `must have at most ${bytesMax} bytes`));
  return (value, asText, reasons) => {
    if (asText && typeof value === 'object' && value !== null) return passed(value as StoredFile, tests, reasons);
    reasons.push('must be a file (multipart/form-data)');
    return undefined;
  };
}

function passed<V extends FieldValue>(value: V, tests: readonly Test<V>[], reasons: string[]): V | undefined {
  const before = reasons.length;
  for (const test of tests) {
    const reason = test(value);
    if (reason !== null) reasons.push(reason);
  }
  return reasons.length === before ? value : undefined;
}

/** A decimal number as JSON writes it; NaN for any other text, such as hexadecimal or white space. */
function numberOf(value: string): number {
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? Number(value) : NaN;
}

function ranges({ min, max }: FormField): Test<number>[] {
  const tests: Test<number>[] = [];
  if (min !== undefined) tests.push((value) => (value >= min ? null : `must be at least ${min}`));
  if (max !== undefined) tests.push((value) => (value <= max ? null : `must be at most ${max}`));
  return tests;
}

function lengths({ min_length: min, max_length: max }: FormField): Test<string>[] {
  const tests: Test<string>[] = [];
  if (min !== undefined) tests.push((value) => (count(value) >= min ? null : `must have at least ${min} characters`));
  if (max !== undefined) tests.push((value) => (count(value) <= max ? null : `must have at most ${max} characters`));
  return tests;
}

/** The number of code points, not of UTF-16 units: nearer to what a person counts. */
function count(value: string): number {
  let points = value.length;
  for (let i = 0; i < value.length; i++) if ((value.charCodeAt(i) & 0xfc00) === 0xdc00) points--;
  return points;
}

function patterns({ pattern, format }: FormField): Test<string>[] {
  const tests: Test<string>[] = [];
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern);
    tests.push((value) => matching(compiled, value));
  }
  if (format !== undefined) {
    const test = (FORMATS as Readonly<Record<string, Test<string>>>)[format];
    if (test === undefined) throw new Error(`unknown format ${format}`);
    tests.push(test);
  }
  return tests;
}

/** Null when the text matches. A text whose check would cost too much fuel is refused unread. */
function matching(compiled: (text: string) => boolean, value: string): string | null {
  try {
    return compiled(value) ? null : 'must match the pattern';
  } catch (error) {
    if (error instanceof OutOfFuel) return 'is too long to be held against the pattern';
    throw error;
  }
}

function isOneOf(values: readonly string[]): Test<string> {
  const known = new Set(values);
  const reason = `must be one of: ${values.join(', ')}`;
  return (value) => (known.has(value) ? null : reason);
}

/** The HTML standard's "valid e-mail address", within the lengths of RFC 5321 section 4.5.3.1. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

function isEmail(value: string): string | null {
  const { emailCharsMax, emailLocalCharsMax } = limits.intake;
  const fits = value.length <= emailCharsMax && value.indexOf('@') <= emailLocalCharsMax && EMAIL.test(value);
  return fits ? null : 'must be an e-mail address';
}

function isUrl(value: string): string | null {
  const fits =
    value.length <= limits.intake.urlCharsMax && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(value) && URL.canParse(value);
  return fits ? null : 'must be an http or https URL';
}

/** A full-date of RFC 3339 that is a day of the calendar. */
function isDate(value: string): string | null {
  return calendarDate(value) === undefined ? 'must be a date (YYYY-MM-DD)' : null;
}

/** Numbers of JSON texts whose digits a double would lose: decimals keep them, all others round them as JSON.parse does. */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { withoutLastZeros } from '#config/values/digits.ts';
import { LongNumber } from '#config/values/long-number.ts';

/** Shorter spellings of numbers are exact, or overflow: a double keeps fifteen digits. */
export const LONG_CHARS_MIN = 16;

/** Stands for a number until the text is parsed; no caller can guess it. */
const MARK = `\u0001${randomBytes(16).toString('hex')}`;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const IS_KEY = /[ \t\n\r]*:/y;

/**
 * JSON.parse, with a LongNumber for each number that a double would round. `places` are where long numbers begin and end: from, to,
 * from, to. A text that is one number gives the double. Throws as JSON.parse does.
 */
export function parseLong(text: string, places: readonly number[]): unknown {
  const marked = markLong(text, places);
  if (marked === text) return JSON.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(marked);
  } catch {
    return JSON.parse(text); // its message shows the text, not the marks
  }
  const restored = restoreLong(value);
  return restored instanceof LongNumber ? Number(restored) : restored;
}

/** The text with each such number as a marked string. A malformed number, or one in the place of a key, is left for the parser to refuse. */
function markLong(text: string, places: readonly number[]): string {
  let out = '';
  let at = 0;
  for (let i = 0; i < places.length; i += 2) {
    const [from, to] = [places[i]!, places[i + 1]!];
    const digits = text.slice(from, to);
    IS_KEY.lastIndex = to;
    if (!NUMBER.test(digits) || IS_KEY.test(text) || !isLossy(digits)) continue;
    out += `${text.slice(at, from)}${JSON.stringify(MARK + digits)}`;
    at = to;
  }
  return out + text.slice(at);
}

/** The parsed value with its marked strings as numbers. */
function restoreLong(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? new LongNumber(value.slice(MARK.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    const restored = restoreLong(member);
    if (restored !== member) members[key] = restored;
  }
  return value;
}

/** A double is written with 17 digits at most, and a power of three. */
const DOUBLE_CHARS_MAX = 32;

function isLossy(digits: string): boolean {
  if (digits.length > limits.data.decimalCharsMax) return true;
  const own = significant(digits);
  return own.length > DOUBLE_CHARS_MAX || own !== significant(String(Number(digits)));
}

/** Digits without zeros at their ends, and their power of ten: equal for equal numbers. */
function significant(text: string): string {
  const [mantissa, power = '0'] = text.toLowerCase().replace('-', '').split('e') as [string, string | undefined];
  const [whole, part = ''] = mantissa.split('.') as [string, string | undefined];
  const digits = (whole + part).replace(/^0+/, '');
  const ended = withoutLastZeros(digits);
  return ended === '' ? '0' : `${ended}e${Number(power) - part.length + digits.length - ended.length}`;
}

/** Whether a value is a JSON object: neither a list nor a number that keeps its digits, which is an object to JavaScript. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongNumber);
}

/** The value with doubles for its long numbers, as JSON.parse gives it: itself when it holds none, else a copy. */
export function withDoubles(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LongNumber) return Number(value);
  let copy: Record<string, unknown> | null = null;
  for (const [key, member] of Object.entries(value)) {
    const plain = withDoubles(member);
    if (plain === member) continue;
    copy ??= (Array.isArray(value) ? value.slice() : { ...value }) as Record<string, unknown>;
    copy[key] = plain;
  }
  return copy ?? value;
}

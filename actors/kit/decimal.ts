/** Exact numbers as text: integers beyond 2^53 and decimals travel as strings (decisions.md "Data"). */

import { LongNumber } from './long-number.ts';

const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;
const INTEGER = /^[+-]?\d+$/;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** Canonical text of a decimal: no plus sign, no leading zeros, its scale kept. Undefined when it is none or longer than `charsMax`. */
export function decimalText(value: unknown, charsMax: number): string | undefined {
  const text = typeof value === 'number' ? String(value) : value instanceof LongNumber ? value.digits : value;
  if (typeof text !== 'string' || text.length > charsMax || !DECIMAL.test(text)) return undefined;
  const negative = text.startsWith('-');
  const digits = text.replace(/^[+-]?0*(?=\d)/, '');
  return negative && /[1-9]/.test(digits) ? `-${digits}` : digits;
}

/** A 64-bit integer: a number where that is exact, else its decimal text. Undefined for anything else, also for a number past 2^53, which has lost digits. */
export function integerValue(value: unknown): number | string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined;
  if (typeof value !== 'string' || value.length > 20 || !INTEGER.test(value)) return undefined;
  const near = Number(value);
  if (Number.isSafeInteger(near)) return near + 0;
  const exact = BigInt(value);
  return exact < LONG_MIN || exact > LONG_MAX ? undefined : exact.toString();
}

/** Order by value of two canonical decimal texts. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  const scale = Math.max(scaleOf(a), scaleOf(b));
  const left = unscaled(a, scale);
  const right = unscaled(b, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Order of two values as `integerValue` gives them. */
export function compareIntegers(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const left = BigInt(a);
  const right = BigInt(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

function scaleOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

function unscaled(text: string, scale: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(scale - scaleOf(text)));
}

/** Exact numbers as text: integers beyond 2^53 and decimals travel as strings (docs/contract/common.md §2.1). */

import { withoutLastZeros, ZERO } from './digits.ts';
import { LongNumber } from './long-number.ts';

/** Characters of a decimal, sign and point included. */
export const DECIMAL_CHARS_MAX = 1000;

const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;
const INTEGER = /^[+-]?\d+$/;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** One way to read each digit: `\d+\.?\d*` would try each cut of a long run of digits. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether a text is a number in digits, also with an exponent or without a digit on one side of its point. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text);
}

/** Canonical text of a decimal: no plus sign, no leading zeros, its scale kept. Undefined when it is none or longer than `charsMax`. */
export function decimalText(value: unknown, charsMax = DECIMAL_CHARS_MAX): string | undefined {
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

const MINUS = 0x2d;

/** Order by value of two canonical decimal texts, digit by digit: numbers of a thousand digits are sorted, too. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  const negative = a.charCodeAt(0) === MINUS;
  if (negative !== (b.charCodeAt(0) === MINUS)) return negative ? -1 : 1;
  const order = compareMagnitudes(a, b, negative ? 1 : 0);
  return negative ? 0 - order : order;
}

/** The number with more digits before its point is the larger one; else the first digit that differs decides. */
function compareMagnitudes(a: string, b: string, from: number): number {
  const point = wholeEnd(a);
  if (point !== wholeEnd(b)) return point < wholeEnd(b) ? -1 : 1;
  const end = Math.max(a.length, b.length);
  for (let at = from; at < end; at++) {
    if (at === point) continue;
    const left = at < a.length ? a.charCodeAt(at) : ZERO;
    const right = at < b.length ? b.charCodeAt(at) : ZERO;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function wholeEnd(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? text.length : point;
}

/** The same number without zeros at the end of its fraction: what equal decimals have in common. */
export function shortestDecimal(text: string): string {
  if (!text.includes('.')) return text;
  const digits = withoutLastZeros(text);
  return digits.endsWith('.') ? digits.slice(0, -1) : digits;
}

/** Order of two values as `integerValue` gives them. */
export function compareIntegers(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const left = BigInt(a);
  const right = BigInt(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

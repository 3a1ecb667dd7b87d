/** Fuel for the texts that expressions take and make. The price of a row includes short ones. */
import { burn, burnChars } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { SqlFault } from '../fault.ts';
import type { Value } from '../type.ts';

const FREE_CHARS = 64;

/** Burns for a text before it is searched or copied. */
export function burnText(chars: number): void {
  if (chars > FREE_CHARS) burnChars(chars);
}

/** Digits of exact decimals for one unit of fuel; and how many the price of a row includes. */
const DIGITS_PER_UNIT = 8;
const FREE_DIGITS = 48;

/** Burns for arithmetic with this many digits. */
export function burnDigits(digits: number): void {
  if (digits > FREE_DIGITS) burn(digits / DIGITS_PER_UNIT);
}

/** Checks the length of a text against the bound and burns for it, before it is made. */
export function bounded(chars: number): number {
  if (chars > limits.sql.charsMax) throw new SqlFault(`a text has more than ${limits.sql.charsMax} characters`);
  burnText(chars);
  return chars;
}

/** The number of characters in a value, nested values included. */
export function charsOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const [name, one] of Object.entries(value)) sum += name.length + charsOf(one as Value);
  return sum;
}

/** Orders of stored values, the same as the order of their keys: nulls first, text by code point, exact numbers by value. */
import { compareDecimals, compareIntegers } from '#config/values/decimal.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import type { StoredType } from '../schema/stored.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Order } from '#config/values/type-row.ts';

export type Compare = (a: unknown, b: unknown) => number;

/** Long texts are compared in chunks of this many characters; and the fuel for one chunk. */
const CHUNK_CHARS = 4096;
const CHUNK_UNITS = 16;

/** The number of characters at the start, in whole chunks, that are the same in both texts. */
function sameStart(a: string, b: string, length: number): number {
  let i = 0;
  while (i + CHUNK_CHARS <= length && a.slice(i, i + CHUNK_CHARS) === b.slice(i, i + CHUNK_CHARS)) {
    burn(CHUNK_UNITS);
    i += CHUNK_CHARS;
  }
  return i;
}

/** Code point order, which is that of UTF-8 bytes; `<` on strings goes by UTF-16 unit and differs above U+D7FF. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let i = length > CHUNK_CHARS ? sameStart(a, b, length) : 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length - b.length;
  const left = a.charCodeAt(i);
  const right = b.charCodeAt(i);
  const leftHigh = left >= 0xd800 && left <= 0xdfff;
  const rightHigh = right >= 0xd800 && right <= 0xdfff;
  return leftHigh === rightHigh ? left - right : leftHigh ? 1 : -1;
}

function nullsFirst<T>(compare: (a: T, b: T) => number): Compare {
  return (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
    return compare(a as T, b as T);
  };
}

const byText = nullsFirst(compareText);
const byNumber = nullsFirst<number>((a, b) => a - b);
const byTruth = nullsFirst<boolean>((a, b) => Number(a) - Number(b));
const byInteger = nullsFirst(compareIntegers);
const byDecimal = nullsFirst(compareDecimals);

const COMPARES: Readonly<Record<Order, Compare>> = {
  text: byText,
  truth: byTruth,
  integer: byInteger,
  double: byNumber,
  decimal: byDecimal,
};

/** How values of a type are ordered; null for types that have no order. */
export function compareOf(type: StoredType): Compare | null {
  const { order } = FIELD_TYPES[type];
  return order === null ? null : COMPARES[order];
}

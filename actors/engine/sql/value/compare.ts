/** Order and equality of values of one type, neither of them null. */
import { compareDecimals, compareIntegers } from '#actors/kit/decimal.ts';
import { compareOf } from '../../rows/order.ts';
import type { SqlType, Value } from '../type.ts';
import { normal } from './numeric.ts';
import { burnText } from './text-cost.ts';

export type Compare = (a: Value, b: Value) => number;

const byText = compareOf('text')!;
const byTruth: Compare = (a, b) => Number(a) - Number(b);

/** Text by code point (the "C" collation), numbers by value. */
export function comparison(type: SqlType): Compare {
  switch (type) {
    case 'integer':
      return compareIntegers as Compare;
    case 'numeric':
      return compareDecimals as Compare;
    case 'float':
      return (a, b) => (a as number) - (b as number);
    case 'boolean':
      return byTruth;
    default:
      return byText;
  }
}

/** What equal values of a type have in common, to find them in a Map; null where the value itself is that. */
export function keyOf(type: SqlType): ((value: Value) => Value) | null {
  return type === 'numeric' ? (value) => (value === null ? null : normal(value as string)) : null;
}

/** One key of several values; null counts as a value (GROUP BY, DISTINCT). */
export function rowKeyOf(types: readonly SqlType[]): (values: readonly Value[]) => unknown {
  const keys = types.map(keyOf);
  if (keys.length === 1) return keys[0] === null ? ([value]) => value : ([value]) => keys[0]!(value);
  return (values) => {
    for (const value of values) if (typeof value === 'string') burnText(value.length);
    return JSON.stringify(values.map((value, i) => (keys[i] == null ? value : keys[i](value))));
  };
}

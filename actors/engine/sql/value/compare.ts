/** Order and equality of values of one type, neither of them null. */
import { compareDecimals, compareIntegers } from '#config/values/decimal.ts';
import { compareOf } from '../../rows/order.ts';
import { isList, type ScalarType, type SqlType, type Value } from '../type.ts';
import { intervalOrder, type Interval } from './interval.ts';
import { normal } from './numeric.ts';
import { burnText } from './text-cost.ts';

export type Compare = (a: Value, b: Value) => number;

const byText = compareOf('text')!;
const byTruth: Compare = (a, b) => Number(a) - Number(b);

const COMPARISONS: Readonly<Record<ScalarType, Compare>> = {
  integer: compareIntegers as Compare,
  numeric: compareDecimals as Compare,
  float: (a, b) => (a as number) - (b as number),
  boolean: byTruth,
  text: byText,
  ulid: byText,
  uuid: byText,
  date: byText,
  timestamp: byText,
  bytes: byText,
  interval: (a, b) => intervalOrder(a as Interval) - intervalOrder(b as Interval),
  // Statements compare none of these: `isComparable`.
  json: byText,
  unknown: byText,
};

/** Text by code point (the "C" collation), numbers by value. */
export function comparison(type: SqlType): Compare {
  return isList(type) ? byText : COMPARISONS[type];
}

/** The key under which a Map finds equal values of a type; null where the value itself is the key. */
export function keyOf(type: SqlType): ((value: Value) => Value) | null {
  if (type === 'interval') return (value) => (value === null ? null : intervalOrder(value as Interval));
  return type === 'numeric' ? (value) => (value === null ? null : normal(value as string)) : null;
}

/** One key for several values; null equals null (GROUP BY, DISTINCT). */
export function rowKeyOf(types: readonly SqlType[]): (values: readonly Value[]) => unknown {
  const keys = types.map(keyOf);
  if (keys.length === 1) return keys[0] === null ? ([value]) => value : ([value]) => keys[0]!(value);
  return (values) => {
    for (const value of values) if (typeof value === 'string') burnText(value.length);
    return JSON.stringify(values.map((value, i) => (keys[i] == null ? value : keys[i](value))));
  };
}

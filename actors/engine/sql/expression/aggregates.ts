/** What the aggregate functions compute. */
import { limits } from '#config/limits.ts';
import { isComparable, isList, isText, listOf, type SqlType, type Value } from '../type.ts';
import { comparison } from '../value/compare.ts';
import { finite } from '../value/float.ts';
import { added, divided, type Interval } from '../value/interval.ts';
import * as numeric from '../value/numeric.ts';
import { bounded, burnDigits, burnText, charsOf } from '../value/text-cost.ts';
import { collected, JSON_ARRAY, JSON_OBJECT } from './collect.ts';
import type { Kind } from './aggregate-kind.ts';
import type { Accumulator, Around } from './grouping.ts';

const numbers = (type: SqlType): SqlType | null =>
  type === 'integer' || type === 'numeric' ? 'numeric' : type === 'float' || type === 'interval' ? type : null;
const ordered = (type: SqlType): SqlType | null =>
  isComparable(type) && type !== 'boolean' && type !== 'uuid' ? type : null;
const truths = (type: SqlType): SqlType | null => (type === 'boolean' ? type : null);

export const KINDS: Readonly<Record<string, Kind>> = {
  count: { gives: () => 'integer', begin: count },
  sum: { gives: numbers, begin: (type) => sum(type, false) },
  avg: { gives: numbers, begin: (type) => sum(type, true) },
  min: { gives: ordered, begin: (type, around) => best(type, -1, around) },
  max: { gives: ordered, begin: (type, around) => best(type, 1, around) },
  bool_and: { gives: truths, begin: () => fold((all, one) => all && one) },
  every: { gives: truths, begin: () => fold((all, one) => all && one) },
  bool_or: { gives: truths, begin: () => fold((all, one) => all || one) },
  string_agg: {
    gives: (type) => (isText(type) ? 'text' : null),
    begin: (_type, { keep }) => joined(keep),
    second: 'text',
    isOrdered: true,
  },
  array_agg: {
    gives: (type) => (isList(type) ? null : listOf(type)),
    begin: (_type, { keep }) => collected(keep, (value) => value),
    takesNull: true,
    isOrdered: true,
  },
  json_agg: JSON_ARRAY,
  jsonb_agg: JSON_ARRAY,
  json_object_agg: JSON_OBJECT,
  jsonb_object_agg: JSON_OBJECT,
};

function sum(type: SqlType, mean: boolean): Accumulator {
  if (type === 'interval') return spanSum(mean);
  return type === 'float' ? floatSum(mean) : exactSum(mean);
}

/** Spans of time: months, days and milliseconds apart; the mean carries what is left of each into the next (timestamp.c interval_div). */
function spanSum(mean: boolean): Accumulator {
  let all: Interval = { months: 0, days: 0, ms: 0 };
  let seen = 0;
  return {
    add(value) {
      seen++;
      all = added(all, value as Interval);
    },
    value: () => (seen === 0 ? null : mean ? divided(all, seen) : all),
  };
}

function count(): Accumulator {
  let seen = 0;
  return { add: () => void seen++, value: () => seen };
}

function exactSum(mean: boolean): Accumulator {
  let sum: string | null = null;
  let seen = 0;
  let small = 0;
  const settle = (): string => numeric.add(sum ?? '0', String(small));
  return {
    add(value) {
      seen++;
      // Most sums are of small integers: exact digits are used only beyond the safe integers.
      if (typeof value === 'number' && Number.isSafeInteger(small + value)) small += value;
      else {
        burnDigits((sum ?? '').length + String(value).length);
        sum = numeric.add(sum ?? '0', String(value));
      }
    },
    value: () => (seen === 0 ? null : mean ? numeric.divide(settle(), String(seen)) : settle()),
  };
}

function floatSum(mean: boolean): Accumulator {
  let sum = 0;
  let seen = 0;
  return {
    add(value) {
      seen++;
      sum = finite(sum + (value as number));
    },
    value: () => (seen === 0 ? null : mean ? sum / seen : sum),
  };
}

function best(type: SqlType, sign: number, { keep }: Around): Accumulator {
  const order = comparison(type);
  let kept: Value = null;
  return {
    add(value) {
      if (kept !== null && sign * order(value, kept) <= 0) return;
      keep(charsOf(value) - charsOf(kept));
      kept = value;
    },
    value: () => kept,
  };
}

function fold(both: (all: boolean, one: boolean) => boolean): Accumulator {
  let kept: boolean | null = null;
  return {
    add(value) {
      kept = kept === null ? (value as boolean) : both(kept, value as boolean);
    },
    value: () => kept,
  };
}

/** string_agg: the pieces count as held until the statement ends, and are joined when all are there. */
function joined(keep: (chars: number) => void): Accumulator {
  const pieces: string[] = [];
  let chars = 0;
  const append = (piece: string): void => {
    chars += piece.length;
    if (chars > limits.sql.charsMax) bounded(chars);
    burnText(piece.length);
    keep(piece.length);
    pieces.push(piece);
  };
  return {
    add(value, separator) {
      if (pieces.length > 0) append((separator ?? '') as string);
      append(value as string);
    },
    value: () => (pieces.length === 0 ? null : pieces.join('')),
  };
}

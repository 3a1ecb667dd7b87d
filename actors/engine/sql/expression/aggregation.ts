/** The aggregate functions of a select. */
import type { FuncCall } from 'libpg-query';
import type { Place } from '../context.ts';
import { limits } from '#config/limits.ts';
import { open, textsOf } from '../node.ts';
import { isComparable } from '../type.ts';
import type { SqlType, Value } from '../type.ts';
import { comparison, keyOf } from '../value/compare.ts';
import { finite } from '../value/float.ts';
import { integerOf } from '../value/integer.ts';
import * as numeric from '../value/numeric.ts';
import { bounded, burnDigits, burnText, charsOf } from '../value/text-cost.ts';
import { coerce, settled } from './coerce.ts';
import type { Expr } from './expr.ts';
import type { Accumulator, Aggregate, Aggregation, Around } from './grouping.ts';

interface Kind {
  readonly gives: (type: SqlType) => SqlType | null;
  readonly begin: (type: SqlType, around: Around) => Accumulator;
}

const numbers = (type: SqlType): SqlType | null =>
  type === 'integer' || type === 'numeric' ? 'numeric' : type === 'float' ? 'float' : null;
const ordered = (type: SqlType): SqlType | null =>
  isComparable(type) && type !== 'boolean' && type !== 'uuid' ? type : null;
const truths = (type: SqlType): SqlType | null => (type === 'boolean' ? type : null);

const KINDS: Readonly<Record<string, Kind>> = {
  count: { gives: () => 'integer', begin: count },
  sum: { gives: numbers, begin: (type) => (type === 'float' ? floatSum(false) : exactSum(false)) },
  avg: { gives: numbers, begin: (type) => (type === 'float' ? floatSum(true) : exactSum(true)) },
  min: { gives: ordered, begin: (type, around) => best(type, -1, around) },
  max: { gives: ordered, begin: (type, around) => best(type, 1, around) },
  bool_and: { gives: truths, begin: () => fold((all, one) => all && one) },
  every: { gives: truths, begin: () => fold((all, one) => all && one) },
  bool_or: { gives: truths, begin: () => fold((all, one) => all || one) },
  string_agg: { gives: (type) => (type === 'text' || type === 'ulid' ? 'text' : null), begin: joined },
};

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
function joined(_type: SqlType, { separator, keep }: Around): Accumulator {
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
    add(value) {
      if (pieces.length > 0) append((separator() ?? '') as string);
      append(value as string);
    },
    value: () => (pieces.length === 0 ? null : pieces.join('')),
  };
}

export function isAggregate(name: string | null): boolean {
  return name !== null && Object.hasOwn(KINDS, name);
}

/** Whether an expression contains an aggregate of its own select. */
export function holdsAggregate(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(holdsAggregate);
  if (Object.keys(node).length === 0) return false;
  const [kind, fields] = open(node as Parameters<typeof open>[0]);
  if (kind === 'SubLink') return holdsAggregate((fields as { testexpr?: unknown }).testexpr);
  if (kind === 'FuncCall' && isAggregate(textsOf((fields as FuncCall).funcname).at(-1) ?? null)) return true;
  return Object.values(node).some(holdsAggregate);
}

/** Adds an aggregate to the select; its value will be in a slot of the group's tuple. */
export function aggregateCall(place: Place, node: FuncCall, name: string): Expr {
  const { statement, aggregates } = place;
  const at = node.location ?? 0;
  if (typeof aggregates === 'string')
    return statement.fault(at, `${name} may not stand in ${aggregates}`, 'put it into the select list or HAVING');
  statement.only(node, ['funcname', 'args', 'agg_star', 'agg_distinct', 'funcformat']);
  const inner = place.inside('the argument of an aggregate');
  const [first, second, ...more] = (node.args ?? []).map((arg) => settled(statement, inner.expr(arg)));
  const arity = name === 'string_agg' ? 2 : 1;
  const given = node.agg_star === true ? null : (first ?? null);
  if (
    more.length > 0 ||
    (given === null ? name !== 'count' || node.agg_star !== true : (arity === 2) !== (second !== undefined))
  )
    return statement.fault(at, `${name} takes ${arity === 1 ? 'one value' : 'two values'}`, 'mend its arguments');
  const type = given?.type ?? 'integer';
  const isNarrow = name === 'sum' && type === 'integer' && given?.narrow === true;
  const gives = isNarrow ? 'integer' : KINDS[name]!.gives(type);
  if (gives === null) return statement.fault(at, `there is no ${name}(${type})`, 'cast its argument');
  if (node.agg_distinct === true && !isComparable(type))
    return statement.unsupported(at, `${name}(distinct …) of ${type}`, 'leave out distinct');
  if (given?.outer === true) return statement.unsupported(at, 'an aggregate of outer columns', 'join instead');
  return register(place, aggregates, at, {
    arg: given,
    second: second === undefined ? null : coerce(statement, second, 'text'),
    distinct: node.agg_distinct === true,
    gives,
    type,
    kind: name,
  });
}

interface Wanted extends Pick<Aggregate, 'arg' | 'second' | 'distinct'> {
  readonly gives: SqlType;
  readonly type: SqlType;
  readonly kind: string;
}

function register(place: Place, aggregation: Aggregation, at: number, wanted: Wanted): Expr {
  const { arg, second, distinct, gives, type, kind } = wanted;
  const slot = place.level.takeSlot();
  const begin: Aggregate['begin'] = (around) => KINDS[kind]!.begin(type, around);
  const key = keyOf(type) ?? ((value: Value) => value);
  aggregation.aggregates.push({
    slot,
    arg,
    second,
    distinct,
    begin: distinct ? (around) => onlyOnce(begin(around), key, around) : begin,
  });
  const integral = kind === 'sum' && type === 'integer' && gives === 'numeric';
  const narrow = (kind === 'min' || kind === 'max') && arg?.narrow === true;
  const evaluate: Expr['evaluate'] = gives === 'integer' ? (tuple) => integerIn(tuple[slot]) : (tuple) => tuple[slot];
  return { type: gives, at, uses: 0, outer: false, aggregated: true, evaluate, integral, narrow };
}

/** An exact sum as an integer: sums are kept as digits. */
function integerIn(value: Value): Value {
  return typeof value === 'string' ? integerOf(BigInt(value)) : value;
}

function onlyOnce(inner: Accumulator, key: (value: Value) => Value, { keep }: Around): Accumulator {
  const seen = new Set<Value>();
  return {
    add(value) {
      const known = key(value);
      if (seen.has(known)) return;
      keep(charsOf(known));
      seen.add(known);
      inner.add(value);
    },
    value: () => inner.value(),
  };
}

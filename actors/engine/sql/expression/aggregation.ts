/** The aggregate functions of a select: their calls. */
import type { FuncCall } from 'libpg-query';
import type { Place } from '../context.ts';
import { formOf, open, textsOf } from '../node.ts';
import type { Level } from '../select/level.ts';
import { sortItem, sortsOf } from '../select/sort-items.ts';
import type { OrderItem } from '../select/sort.ts';
import { isComparable, type Value } from '../type.ts';
import { keyOf } from '../value/compare.ts';
import { explicit } from '../value/cast.ts';
import { integerOf } from '../value/integer.ts';
import { charsOf } from '../value/text-cost.ts';
import { KINDS } from './aggregates.ts';
import { coerce, settled } from './coerce.ts';
import { condition } from './conditional.ts';
import type { Expr } from './expr.ts';
import { Aggregation, type Accumulator, type Aggregate, type Around } from './grouping.ts';
import { valueOrRow } from './whole-row.ts';

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
  const call = fields as FuncCall;
  if (kind === 'FuncCall' && call.over === undefined && isAggregate(textsOf(call.funcname).at(-1) ?? null)) return true;
  return Object.values(node).some(holdsAggregate);
}

/** Adds an aggregate to the select; its value will be in a slot of the group's tuple. */
export function aggregateCall(place: Place, node: FuncCall, name: string): Expr {
  const { statement, aggregates } = place;
  const at = node.location ?? 0;
  if (!(aggregates instanceof Aggregation))
    return statement.fault(at, `${name} may not stand in ${aggregates}`, 'put it into the select list or HAVING');
  statement.only(node, ['funcname', 'args', 'agg_star', 'agg_distinct', 'agg_order', 'agg_filter', 'funcformat']);
  const inner = place.inside('the argument of an aggregate');
  const { computed, order } = ungrouped(place.level, () => {
    const made = computedBy(inner, node, name);
    return { computed: made, order: orderOf(inner, node, name, made.aggregate) };
  });
  const slot = place.level.takeSlot();
  aggregates.aggregates.push({ slot, ...computed.aggregate, order });
  return computed.shown(at, slot);
}

/** Subqueries in an aggregate's arguments read rows as they are before they are grouped. */
function ungrouped<T>(level: Level, compile: () => T): T {
  const { grouping } = level;
  level.grouping = null;
  try {
    return compile();
  } finally {
    level.grouping = grouping;
  }
}

/** An aggregate and what it gives, without the order of its values: in groups, and in windows. */
export interface Computed {
  readonly aggregate: Omit<Aggregate, 'slot' | 'order'>;
  /** The expression that reads its value from a slot. */
  readonly shown: (at: number, slot: number) => Expr;
}

/** The arguments of an aggregate's call, compiled in `inner`. */
export function computedBy(inner: Place, node: FuncCall, name: string): Computed {
  const { statement } = inner;
  const at = node.location ?? 0;
  const kind = KINDS[name]!;
  const [first, second, ...more] = (node.args ?? []).map((arg) =>
    settled(statement, name.startsWith('json') ? valueOrRow(inner, arg) : inner.expr(arg)),
  );
  const given = node.agg_star === true ? null : (first ?? null);
  const isMissing =
    given === null
      ? name !== 'count' || node.agg_star !== true
      : (kind.second === undefined) !== (second === undefined);
  if (more.length > 0 || isMissing)
    return statement.fault(
      at,
      `${name} takes ${kind.second === undefined ? 'one value' : 'two values'}`,
      'mend its arguments',
    );
  const type = given?.type ?? 'integer';
  const isNarrow = name === 'sum' && type === 'integer' && given?.narrow === true;
  const gives = isNarrow ? 'integer' : kind.gives(type);
  if (gives === null || (kind.second === 'any' && explicit(type, 'text') === null))
    return statement.fault(at, `there is no ${name}(${type})`, 'cast its argument');
  const distinct = node.agg_distinct === true;
  if (distinct && (!isComparable(type) || kind.second === 'any'))
    return statement.unsupported(at, `${name}(distinct …) of ${type}`, 'leave out distinct');
  const filter = node.agg_filter === undefined ? null : condition(inner, node.agg_filter, 'FILTER');
  if ([given, second, filter].some((part) => part?.outer === true && part.uses === 0))
    return statement.unsupported(at, 'an aggregate of outer columns', 'join instead');
  const other = second === undefined || kind.second !== 'text' ? (second ?? null) : coerce(statement, second, 'text');
  const begin: Aggregate['begin'] = (around) => kind.begin(type, around, other?.type ?? 'unknown');
  const key = keyOf(type) ?? ((value: Value) => value);
  const integral = name === 'sum' && type === 'integer' && gives === 'numeric';
  const narrow = (name === 'min' || name === 'max') && given?.narrow === true;
  return {
    aggregate: {
      arg: given,
      second: other,
      distinct,
      filter,
      takesNull: kind.takesNull === true,
      begin: distinct ? (around) => onlyOnce(begin(around), key, around) : begin,
    },
    shown(place, slot) {
      const evaluate: Expr['evaluate'] =
        gives === 'integer' ? (tuple) => integerIn(tuple[slot]) : (tuple) => tuple[slot];
      return { type: gives, at: place, uses: 0, outer: false, aggregated: true, evaluate, integral, narrow };
    },
  };
}

/** The order in which an aggregate is given its values; null for any. */
function orderOf(
  inner: Place,
  node: FuncCall,
  name: string,
  { arg, distinct }: Computed['aggregate'],
): readonly OrderItem[] | null {
  const { statement } = inner;
  const sorts = sortsOf(statement, node.agg_order ?? []);
  const items = sorts.map((sort) => sortItem(statement, sort, settled(statement, inner.expr(sort.node!)), -1));
  if (!distinct) return items.length === 0 ? null : items;
  const isOwn = sorts.every((sort) => formOf(sort.node) === formOf(node.args?.[0]));
  if (!isOwn || items.length > 1)
    return statement.unsupported(node, `${name}(distinct …) ordered by something else`, 'order by its argument');
  if (items.length > 0 || KINDS[name]!.isOrdered !== true) return items.length === 0 ? null : items;
  return [{ expr: arg, output: -1, type: arg!.type, descending: false, nullsFirst: false }];
}

/** An exact sum as an integer: sums are kept as digits. */
function integerIn(value: Value): Value {
  return typeof value === 'string' ? integerOf(BigInt(value)) : value;
}

function onlyOnce(inner: Accumulator, key: (value: Value) => Value, { keep }: Around): Accumulator {
  const seen = new Set<Value>();
  return {
    add(value, second) {
      const known = key(value);
      if (seen.has(known)) return;
      keep(charsOf(known));
      seen.add(known);
      inner.add(value, second);
    },
    value: () => inner.value(),
  };
}

/** Comparisons in three-valued logic. One between a column and a value known before the rows is also offered to the planner. */
import { likeOf } from '../../rows/like.ts';
import type { Operator } from '../../rows/query.ts';
import { limits } from '#config/limits.ts';
import type { Place, StatementContext } from '../context.ts';
import type { Run } from '../run.ts';
import { NO_TUPLE } from '../select/relation.ts';
import { commonType, isComparable, type SqlType, type Value } from '../type.ts';
import { comparison, keyOf } from '../value/compare.ts';
import { coerce, settled } from './coerce.ts';
import { combined, isConstant, strict, type Expr, type Push } from './expr.ts';

export const COMPARISONS: Readonly<Record<string, { readonly op: Operator; readonly mirrored: Operator }>> = {
  '=': { op: 'eq', mirrored: 'eq' },
  '<>': { op: 'ne', mirrored: 'ne' },
  '!=': { op: 'ne', mirrored: 'ne' },
  '<': { op: 'lt', mirrored: 'gt' },
  '<=': { op: 'lte', mirrored: 'gte' },
  '>': { op: 'gt', mirrored: 'lt' },
  '>=': { op: 'gte', mirrored: 'lte' },
};

const HOLDS: Readonly<Record<string, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  ne: (difference) => difference !== 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
};

/** Whether a difference in order meets a comparison; undefined for a sign that is none. */
export function orderHolds(sign: string): ((difference: number) => boolean) | undefined {
  return Object.hasOwn(COMPARISONS, sign) ? HOLDS[COMPARISONS[sign]!.op] : undefined;
}

/** Both sides converted to the type in which they are compared. */
function meet(statement: StatementContext, at: number, a: Expr, b: Expr): readonly [Expr, Expr, SqlType] {
  const common = commonType(a.type, b.type);
  if (common === null)
    return statement.fault(at, `${a.type} and ${b.type} cannot be compared`, 'cast one of them (… :: text)');
  const type = common === 'unknown' ? 'text' : common;
  if (!isComparable(type)) return statement.unsupported(at, `comparing ${type}`, 'compare something else');
  return [coerce(statement, a, type), coerce(statement, b, type), type];
}

export function compare({ statement }: Place, at: number, sign: string, a: Expr, b: Expr): Expr {
  const [left, right, type] = meet(statement, at, a, b);
  const { op, mirrored } = COMPARISONS[sign]!;
  const push = pushOf(left, op, right) ?? pushOf(right, mirrored, left);
  const test = testOf(op, type);
  return strict('boolean', at, [left, right], test, op === 'eq' ? { push, equality: { left, right } } : { push });
}

/** The test of an operator. In most types equal values are identical. */
function testOf(op: Operator, type: SqlType): (a: Value, b: Value) => boolean {
  const isIdentical = keyOf(type) === null;
  if (isIdentical && op === 'eq') return (a, b) => a === b;
  if (isIdentical && op === 'ne') return (a, b) => a !== b;
  const order = comparison(type);
  const holds = HOLDS[op]!;
  return (a, b) => holds(order(a, b));
}

function pushOf(side: Expr, op: Operator, other: Expr): Push | undefined {
  if (!isConstant(other)) return undefined;
  return pushed(side, op, (run) => other.evaluate(NO_TUPLE, run));
}

function pushed(side: Expr, op: Operator, value: (run: Run) => Value): Push | undefined {
  const { column } = side;
  if (column === undefined || column.relation.table === null) return undefined;
  return { relation: column.relation, column: column.name, op, value };
}

export function isNull(at: number, arg: Expr, wanted: boolean): Expr {
  const push = pushed(arg, 'null', () => wanted);
  const test = (value: Value): boolean => (value === null) === wanted;
  return combined('boolean', at, [arg], (tuple, run) => test(arg.evaluate(tuple, run)), { push });
}

/** `is [not] distinct from`: null is compared like any other value. */
export function distinct({ statement }: Place, at: number, a: Expr, b: Expr, wanted: boolean): Expr {
  const [left, right, type] = meet(statement, at, a, b);
  const order = comparison(type);
  return combined('boolean', at, [left, right], (tuple, run) => {
    const one = left.evaluate(tuple, run);
    const two = right.evaluate(tuple, run);
    const differ = one === null || two === null ? one !== two : order(one, two) !== 0;
    return differ === wanted;
  });
}

export function between(place: Place, at: number, given: Expr, from: Expr, to: Expr): Expr {
  const low = compare(place, at, '>=', given, from);
  const high = compare(place, at, '<=', given, to);
  const both = (run: Run): Value => {
    const range = [low.push!.value(run), high.push!.value(run)];
    return range.includes(null) || range.includes(undefined) ? null : range;
  };
  const push =
    low.push?.op === 'gte' && high.push?.op === 'lte'
      ? { ...low.push, op: 'between' as const, value: both }
      : undefined;
  return combined('boolean', at, [low, high], and([low, high]), { push });
}

/** Three-valued AND: false when a part is false, else unknown when a part is unknown. */
export function and(parts: readonly Expr[]): Expr['evaluate'] {
  return (tuple, run) => {
    let result: boolean | null = true;
    for (const part of parts) {
      const value = part.evaluate(tuple, run);
      if (value === false) return false;
      if (value === null) result = null;
    }
    return result;
  };
}

export function or(parts: readonly Expr[]): Expr['evaluate'] {
  return (tuple, run) => {
    let result: boolean | null = false;
    for (const part of parts) {
      const value = part.evaluate(tuple, run);
      if (value === true) return true;
      if (value === null) result = null;
    }
    return result;
  };
}

/** `given in (list)`; a null in the list turns false into unknown. */
export function inList({ statement }: Place, at: number, given: Expr, list: readonly Expr[]): Expr {
  const [left, ...items] = unifiedAll(statement, at, [given, ...list]) as [Expr, ...Expr[]];
  const parts = [left, ...items];
  if (!items.every(isConstant)) return combined('boolean', at, parts, or(items.map((item) => equal(left, item))));
  const values = (run: Run): readonly Value[] => items.map((item) => item.evaluate(NO_TUPLE, run));
  return membership(at, parts, left, values);
}

function unifiedAll(statement: StatementContext, at: number, exprs: readonly Expr[]): Expr[] {
  let type: SqlType = 'unknown';
  for (const expr of exprs) {
    const next = commonType(type, expr.type);
    if (next === null)
      return statement.fault(expr.at, `${type} and ${expr.type} cannot be compared`, 'cast one of them');
    type = next;
  }
  if (!isComparable(type)) return statement.unsupported(at, `comparing ${type}`, 'compare something else');
  return exprs.map((expr) => (type === 'unknown' ? settled(statement, expr) : coerce(statement, expr, type)));
}

function equal(left: Expr, right: Expr): Expr {
  return strict('boolean', right.at, [left, right], testOf('eq', left.type));
}

interface Members {
  readonly keys: ReadonlySet<Value>;
  readonly list: readonly Value[];
  readonly hasNull: boolean;
}

/** Whether a value is in a set that is the same for the whole run: a constant list, or the result of a subquery. */
export function membership(
  at: number,
  parts: readonly Expr[],
  left: Expr,
  values: (run: Run) => readonly Value[],
): Expr {
  const key = keyOf(left.type) ?? ((value: Value) => value);
  const place = {};
  const members = (run: Run): Members => {
    let known = run.kept.get(place) as Members | undefined;
    if (known === undefined) {
      const all = values(run);
      const list = all.filter((value) => value !== null);
      known = { keys: new Set(list.map(key)), list, hasNull: list.length < all.length };
      run.kept.set(place, known);
    }
    return known;
  };
  const push = pushed(left, 'in', (run) => {
    const { list } = members(run);
    return list.length > limits.sql.lookupsMax ? undefined : list;
  });
  const evaluate: Expr['evaluate'] = (tuple, run) => {
    const { keys, hasNull } = members(run);
    if (keys.size === 0 && !hasNull) return false;
    const value = left.evaluate(tuple, run);
    if (value === null) return null;
    return keys.has(key(value)) ? true : hasNull ? null : false;
  };
  return combined('boolean', at, parts, evaluate, { push });
}

export function like({ statement }: Place, at: number, given: Expr, pattern: Expr, fold: boolean): Expr {
  const text = coerce(statement, given, 'text');
  const wanted = coerce(statement, pattern, 'text');
  let known: { pattern: Value; test: (text: string) => boolean } | null = null;
  const push = pushOf(given.type === 'text' ? given : text, fold ? 'ilike' : 'like', wanted);
  const test = (value: Value, asked: Value): boolean => {
    if (known?.pattern !== asked) known = { pattern: asked, test: likeOf(asked as string, fold) };
    return known!.test(value as string);
  };
  return strict('boolean', at, [text, wanted], test, { push });
}

export function not(at: number, arg: Expr): Expr {
  return strict('boolean', at, [arg], (value) => value !== true);
}

/** A compiled expression: its type, what it depends on, and how it is computed. */
import type { Operator } from '../../rows/query.ts';
import type { Relation } from '../select/relation.ts';
import type { Run, Tuple } from '../run.ts';
import type { SqlType, Value } from '../type.ts';

export type Evaluate = (tuple: Tuple, run: Run) => Value;

/** A parameter; its type is fixed by the first place that needs one. */
export interface Parameter {
  readonly name: string;
  readonly number: number;
  type: SqlType | null;
  isList: boolean;
}

/** A condition on one column that the planner can use; its value is computed once for each run. */
export interface Push {
  readonly relation: Relation;
  readonly column: string;
  readonly op: Operator;
  readonly value: (run: Run) => Value;
}

/** `left = right` in a type; each side can be computed without the other. */
export interface Equality {
  readonly left: Expr;
  readonly right: Expr;
}

export interface Expr {
  readonly type: SqlType;
  readonly evaluate: Evaluate;
  /** The relations of its select that it reads, as bits. */
  readonly uses: number;
  /** Whether it reads a row of an outer select. */
  readonly outer: boolean;
  /** Whether it contains an aggregate. */
  readonly aggregated: boolean;
  /** Its place in the statement, as a byte offset. */
  readonly at: number;
  /** Present while the expression is a literal or parameter without a type. */
  readonly untyped?: { readonly text: string | null } | { readonly parameter: Parameter };
  /** The column, when the expression is just a column. */
  readonly column?: { readonly relation: Relation; readonly name: string };
  /** The same also where rows are grouped: it has the one value of its group then. */
  readonly origin?: { readonly relation: Relation; readonly name: string };
  readonly push?: Push | undefined;
  readonly equality?: Equality;
  /** A numeric that never has a fraction: it is shown as an integer. */
  readonly integral?: boolean;
  /** A 32-bit integer in PostgreSQL: there its sum is a 64-bit integer, not an exact decimal. */
  readonly narrow?: boolean;
}

/** An expression with the dependencies of its parts. */
export function combined(
  type: SqlType,
  at: number,
  parts: readonly Expr[],
  evaluate: Evaluate,
  more: Pick<Expr, 'push' | 'equality' | 'narrow'> = {},
): Expr {
  let uses = 0;
  let outer = false;
  let aggregated = false;
  for (const part of parts) {
    uses |= part.uses;
    outer ||= part.outer;
    aggregated ||= part.aggregated;
  }
  return { type, at, uses, outer, aggregated, evaluate, ...more };
}

/** Whether an expression has one value for a whole run. */
export function isConstant(expr: Expr): boolean {
  return expr.uses === 0 && !expr.outer && !expr.aggregated;
}

/** A function that gives null when one of its arguments is null. */
export function strict(
  type: SqlType,
  at: number,
  parts: readonly Expr[],
  compute: (...values: Value[]) => Value,
  more: Pick<Expr, 'push' | 'equality' | 'narrow'> = {},
): Expr {
  return combined(type, at, parts, strictly(parts, compute), more);
}

function strictly(parts: readonly Expr[], compute: (...values: Value[]) => Value): Evaluate {
  const [a, b] = parts;
  if (parts.length === 1)
    return (tuple, run) => {
      const value = a!.evaluate(tuple, run);
      return value === null ? null : compute(value);
    };
  if (parts.length === 2)
    return (tuple, run) => {
      const left = a!.evaluate(tuple, run);
      if (left === null) return null;
      const right = b!.evaluate(tuple, run);
      return right === null ? null : compute(left, right);
    };
  return (tuple, run) => {
    const values: Value[] = [];
    for (const part of parts) {
      const value = part.evaluate(tuple, run);
      if (value === null) return null;
      values.push(value);
    }
    return compute(...values);
  };
}

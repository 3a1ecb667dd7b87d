/** Converts expressions to the types that their places need. */
import { SqlFault } from '../fault.ts';
import type { StatementContext } from '../context.ts';
import { commonType, type SqlType } from '../type.ts';
import { assignment, explicit, fromText, implicit, type Convert } from '../value/cast.ts';
import { strict, type Expr, type Parameter } from './expr.ts';

type Way = (from: SqlType, to: SqlType) => Convert | null;

/** Converts implicitly; refused where PostgreSQL would need a cast. */
export function coerce(statement: StatementContext, expr: Expr, to: SqlType): Expr {
  return converted(statement, expr, to, implicit);
}

/** Converts for an assignment to a column. */
export function assigned(statement: StatementContext, expr: Expr, to: SqlType): Expr {
  return converted(statement, expr, to, assignment);
}

/** Converts as a cast does. */
export function cast(statement: StatementContext, expr: Expr, to: SqlType): Expr {
  return converted(statement, expr, to, explicit);
}

/** Makes an expression that still has no type a text, as PostgreSQL does. */
export function settled(statement: StatementContext, expr: Expr): Expr {
  return expr.untyped === undefined ? expr : coerce(statement, expr, 'text');
}

/** Converts several expressions to their common type. */
export function unified(statement: StatementContext, exprs: readonly Expr[], what: string): Expr[] {
  let type: SqlType = 'unknown';
  for (const expr of exprs) {
    const next = commonType(type, expr.type);
    if (next === null) statement.fault(expr.at, `${what} cannot hold ${type} and ${expr.type}`, 'cast one of them');
    type = next;
  }
  const to = type === 'unknown' ? 'text' : type;
  const narrow = to === 'integer' && exprs.every((expr) => expr.narrow === true || expr.untyped !== undefined);
  return exprs.map((expr) => ({ ...coerce(statement, expr, to), narrow }));
}

function converted(statement: StatementContext, expr: Expr, to: SqlType, way: Way): Expr {
  if (expr.untyped !== undefined) return typed(statement, expr, expr.untyped, to, way);
  if (expr.type === to) return expr;
  const convert = way(expr.type, to);
  if (convert === null)
    statement.fault(expr.at, `${expr.type} does not become ${to} here`, `cast it (… :: ${to}) where that makes sense`);
  return { ...strict(to, expr.at, [expr], convert), at: expr.at };
}

function typed(
  statement: StatementContext,
  expr: Expr,
  untyped: NonNullable<Expr['untyped']>,
  to: SqlType,
  way: Way,
): Expr {
  const plain = { uses: 0, outer: false, aggregated: false, at: expr.at };
  if ('text' in untyped) {
    const value = untyped.text === null ? null : literal(statement, expr, untyped.text, to);
    return { ...plain, type: to, evaluate: () => value };
  }
  const { parameter } = untyped;
  parameter.type ??= to;
  const typed: Expr = { ...plain, type: parameter.type, evaluate: parameterOf(parameter) };
  return parameter.type === to ? typed : converted(statement, typed, to, way);
}

export function parameterOf({ number }: Parameter): Expr['evaluate'] {
  return (_tuple, run) => run.parameters[number];
}

function literal(statement: StatementContext, expr: Expr, text: string, to: SqlType): unknown {
  try {
    return fromText(to, text);
  } catch (error) {
    if (!(error instanceof SqlFault)) throw error;
    return statement.fault(expr.at, error.message, `write a ${to}`);
  }
}

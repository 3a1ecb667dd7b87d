/** CASE, COALESCE, NULLIF, GREATEST, LEAST, and IS TRUE and its kin. */
import type { BooleanTest, CaseExpr, MinMaxExpr, Node } from 'libpg-query';
import type { Place } from '../context.ts';
import { isComparable, type Value } from '../type.ts';
import { comparison } from '../value/compare.ts';
import { coerce, settled, unified } from './coerce.ts';
import { compare } from './comparison.ts';
import { combined, type Expr } from './expr.ts';
import { constant } from './literal.ts';

/** A condition: its value is true, false or unknown. */
export function condition(place: Place, node: Node, what: string): Expr {
  const given = place.expr(node);
  if (given.type !== 'boolean' && given.type !== 'unknown')
    place.statement.fault(given.at, `${what} is ${given.type}, not a condition`, 'compare it with something');
  return coerce(place.statement, given, 'boolean');
}

export function caseOf(place: Place, node: CaseExpr): Expr {
  const { statement } = place;
  const at = node.location ?? 0;
  const subject = node.arg === undefined ? null : place.expr(node.arg);
  const whens: Expr[] = [];
  const thens: Expr[] = [];
  for (const arm of node.args ?? []) {
    if (!('CaseWhen' in arm)) continue;
    const { expr, result } = arm.CaseWhen;
    whens.push(
      subject === null ? condition(place, expr!, 'WHEN') : compare(place, at, '=', subject, place.expr(expr!)),
    );
    thens.push(place.expr(result!));
  }
  const otherwise = node.defresult === undefined ? nothing(at) : place.expr(node.defresult);
  const results = unified(statement, [...thens, otherwise], 'CASE');
  const evaluate: Expr['evaluate'] = (tuple, run) => {
    for (let i = 0; i < whens.length; i++)
      if (whens[i]!.evaluate(tuple, run) === true) return results[i]!.evaluate(tuple, run);
    return results.at(-1)!.evaluate(tuple, run);
  };
  return combined(results[0]!.type, at, [...whens, ...results], evaluate, { narrow: results[0]!.narrow === true });
}

function nothing(at: number): Expr {
  return { ...constant('unknown', at, () => null), untyped: { text: null } };
}

export function coalesce(place: Place, at: number, nodes: readonly Node[]): Expr {
  const parts = unified(
    place.statement,
    nodes.map((node) => place.expr(node)),
    'COALESCE',
  );
  const evaluate: Expr['evaluate'] = (tuple, run) => {
    for (const part of parts) {
      const value = part.evaluate(tuple, run);
      if (value !== null) return value;
    }
    return null;
  };
  return combined(parts[0]!.type, at, parts, evaluate, { narrow: parts[0]!.narrow === true });
}

export function nullIf(place: Place, at: number, a: Expr, b: Expr): Expr {
  const same = compare(place, at, '=', a, b);
  const given = settled(place.statement, a);
  const evaluate: Expr['evaluate'] = (tuple, run) =>
    same.evaluate(tuple, run) === true ? null : given.evaluate(tuple, run);
  return combined(given.type, at, [given, same], evaluate, { narrow: given.narrow === true });
}

/** The largest or smallest of the values that are not null. */
export function extreme(place: Place, node: MinMaxExpr): Expr {
  const at = node.location ?? 0;
  const name = node.op === 'IS_LEAST' ? 'LEAST' : 'GREATEST';
  const given = (node.args ?? []).map((arg) => place.expr(arg));
  const parts = unified(place.statement, given, name);
  const { type } = parts[0]!;
  if (!isComparable(type)) return place.statement.unsupported(at, `${name} of ${type}`, 'compare something else');
  const order = comparison(type);
  const sign = node.op === 'IS_LEAST' ? -1 : 1;
  const evaluate: Expr['evaluate'] = (tuple, run) => {
    let best: Value = null;
    for (const part of parts) {
      const value = part.evaluate(tuple, run);
      if (value !== null && (best === null || sign * order(value, best) > 0)) best = value;
    }
    return best;
  };
  return combined(type, at, parts, evaluate, { narrow: parts[0]!.narrow === true });
}

const TESTS: Readonly<Record<NonNullable<BooleanTest['booltesttype']>, (value: Value) => boolean>> = {
  IS_TRUE: (value) => value === true,
  IS_NOT_TRUE: (value) => value !== true,
  IS_FALSE: (value) => value === false,
  IS_NOT_FALSE: (value) => value !== false,
  IS_UNKNOWN: (value) => value === null,
  IS_NOT_UNKNOWN: (value) => value !== null,
};

export function truthTest(place: Place, node: BooleanTest): Expr {
  const arg = condition(place, node.arg!, 'the operand of IS');
  const test = TESTS[node.booltesttype ?? 'IS_TRUE'];
  return combined('boolean', node.location ?? 0, [arg], (tuple, run) => test(arg.evaluate(tuple, run)));
}

/** `value = any(:list)`: the one place where a parameter is a list. */
import type { A_Expr, Node } from 'libpg-query';
import type { Place } from '../context.ts';
import type { SqlType, Value } from '../type.ts';
import { isComparable } from '../type.ts';
import { coerce } from './coerce.ts';
import { membership } from './comparison.ts';
import type { Expr, Parameter } from './expr.ts';
import { typeOf } from './literal.ts';

export function listMember(place: Place, node: A_Expr, at: number, sign: string): Expr {
  const { statement } = place;
  if (sign !== '=') return statement.unsupported(at, `${sign} any (…)`, 'use = any(:list), or EXISTS');
  const { parameter, type } = listOf(place, node.rexpr!, at);
  const given = place.expr(node.lexpr!);
  const wanted = type ?? (given.type === 'unknown' ? 'text' : given.type);
  if (!isComparable(wanted)) return statement.unsupported(at, `comparing ${wanted}`, 'compare something else');
  if (parameter.type !== null && (parameter.type !== wanted || !parameter.isList))
    return statement.fault(at, `:${parameter.name} is used in two ways`, 'use two parameters');
  parameter.type = wanted;
  parameter.isList = true;
  const left = coerce(statement, given, wanted);
  return membership(at, [left], left, (run) => (run.parameters[parameter.number] ?? [null]) as Value[]);
}

function listOf(place: Place, node: Node, at: number): { parameter: Parameter; type: SqlType | null } {
  const { statement } = place;
  if ('TypeCast' in node && node.TypeCast.arg !== undefined) {
    const { type, isList } = typeOf(statement, node.TypeCast.typeName!, at);
    if (!isList) return statement.fault(at, 'any (…) takes a list', 'cast to a list, such as :ids::text[]');
    return { parameter: listOf(place, node.TypeCast.arg, at).parameter, type };
  }
  const number = 'ParamRef' in node ? (node.ParamRef.number ?? 0) : 0;
  const parameter = statement.parameters[number - 1];
  if (parameter === undefined) return statement.unsupported(at, 'any (…) of this', 'write = any(:list), or IN (…)');
  return { parameter, type: null };
}

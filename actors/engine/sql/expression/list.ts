/** Lists: `= any(…)`, `array[…]`, a value by its number. A parameter without a type is a list in `= any(:list)` alone. */
import type { A_ArrayExpr, A_Expr, A_Indirection, Node } from 'libpg-query';
import type { Place } from '../context.ts';
import { elementOf, isComparable, isList, listOf, type SqlType, type Value } from '../type.ts';
import { comparison } from '../value/compare.ts';
import { boundedList } from '../value/list.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import { coerce, unified } from './coerce.ts';
import { membership, orderHolds } from './comparison.ts';
import { combined, strict, type Expr, type Parameter } from './expr.ts';
import { typeOf } from './literal.ts';

export function listMember(place: Place, node: A_Expr, at: number, sign: string): Expr {
  const { statement } = place;
  const named = parameterIn(place, node.rexpr!, at);
  if (named === null)
    return memberOfValues(
      place,
      at,
      sign,
      place.expr(node.lexpr!),
      place.expr(node.rexpr!),
      node.kind === 'AEXPR_OP_ALL',
    );
  if (sign !== '=' || node.kind === 'AEXPR_OP_ALL')
    return statement.unsupported(at, `${sign} any (…)`, 'use = any(:list), or EXISTS');
  const { parameter, type } = named;
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

/** The parameter that is the list, bare or under a cast; null for any other list. */
function parameterIn(place: Place, node: Node, at: number): { parameter: Parameter; type: SqlType | null } | null {
  const { statement } = place;
  if ('TypeCast' in node && node.TypeCast.arg !== undefined) {
    const inner = 'ParamRef' in node.TypeCast.arg ? parameterIn(place, node.TypeCast.arg, at) : null;
    if (inner === null) return null;
    const { type, isList: isListType } = typeOf(statement, node.TypeCast.typeName!, at);
    if (!isListType) return statement.fault(at, 'any (…) takes a list', 'cast to a list, such as :ids::text[]');
    return { parameter: inner.parameter, type };
  }
  const number = 'ParamRef' in node ? (node.ParamRef.number ?? 0) : 0;
  const parameter = statement.parameters[number - 1];
  return parameter === undefined || (parameter.type !== null && isList(parameter.type))
    ? null
    : { parameter, type: null };
}

/** `value sign any (list)` and `all (list)`, for a list that the statement makes. */
function memberOfValues(place: Place, at: number, sign: string, given: Expr, values: Expr, isAll: boolean): Expr {
  const { statement } = place;
  const list = values.type === 'unknown' ? coerce(statement, values, listOf(given.type)) : values;
  if (!isList(list.type))
    return statement.fault(at, `any (…) takes a list, not ${list.type}`, 'write = any(:list), or IN (…)');
  const type = elementOf(list.type);
  const holds = orderHolds(sign);
  if (holds === undefined || !isComparable(type))
    return statement.unsupported(at, `${sign} any (…) of ${type}`, 'use EXISTS');
  const left = coerce(statement, given, type);
  const order = comparison(type);
  return strict('boolean', at, [left, list], (value, all) => {
    const items = all as readonly Value[];
    burn(items.length);
    let hasNull = false;
    for (const one of items)
      if (one === null) hasNull = true;
      else if (holds(order(value, one)) !== isAll) return !isAll;
    return hasNull ? null : isAll;
  });
}

/** `array[a, b]`. */
export function listOfValues(place: Place, node: A_ArrayExpr): Expr {
  const { statement } = place;
  const at = node.location ?? 0;
  const values = unified(statement, (node.elements ?? []).map(place.expr), 'a list');
  const [first] = values;
  if (first === undefined) return combined('text[]', at, [], () => []);
  if (isList(first.type)) return statement.unsupported(at, 'a list of lists', 'use jsonb_build_array');
  return combined(listOf(first.type), at, values, (tuple, run) =>
    boundedList(values.map((one) => one.evaluate(tuple, run))),
  );
}

/** `list[n]`: null where the list has no such value. */
export function memberOfList(place: Place, node: A_Indirection): Expr {
  const { statement } = place;
  const list = place.expr(node.arg!);
  const [index, ...more] = node.indirection ?? [];
  if (index === undefined || !('A_Indices' in index) || more.length > 0 || index.A_Indices.is_slice === true)
    return statement.unsupported(node.arg!, 'this part of a value', 'write list[1]');
  if (!isList(list.type)) return statement.fault(node.arg!, `${list.type} is no list`, 'use -> for JSON');
  const number = coerce(statement, place.expr(index.A_Indices.uidx!), 'integer');
  return strict(
    elementOf(list.type),
    list.at,
    [list, number],
    (all, at) => (all as readonly Value[])[Number(at) - 1] ?? null,
  );
}

/** From a node of the syntax tree to an expression. */
import type { A_Expr, BoolExpr, ColumnRef, Node } from 'libpg-query';
import { suggestion } from '#config/values/suggest.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Ctes, Place, StatementContext } from '../context.ts';
import { locationOf, open, textsOf } from '../node.ts';
import type { Level, Named } from '../select/level.ts';
import { aggregateCall, isAggregate } from './aggregation.ts';
import { calculate, concatenate, signed, SIGNS } from './arithmetic.ts';
import { and, between, compare, COMPARISONS, distinct, inList, isNull, like, not, or } from './comparison.ts';
import { caseOf, coalesce, condition, extreme, nullIf, truthTest } from './conditional.ts';
import { combined, type Expr } from './expr.ts';
import { functionCall, functionName } from './functions.ts';
import { Aggregation } from './grouping.ts';
import { isJsonOperation, jsonOperation } from './json-operators.ts';
import { listMember, listOfValues, memberOfList } from './list.ts';
import { isPatternSign, matches } from './pattern.ts';
import { castOf, literalOf, parameterRef, valueFunction } from './literal.ts';
import { subquery } from './subquery.ts';
import { windowCall } from './window-call.ts';
import type { Windows } from './windows.ts';

/** The surroundings of expressions. `aggregates` collects them, or names the clause where they are not allowed. */
export function placeOf(
  statement: StatementContext,
  level: Level,
  ctes: Ctes,
  aggregates: Aggregation | string,
  windows: Windows | null = null,
): Place {
  const place: Place = {
    statement,
    level,
    ctes,
    aggregates,
    windows,
    expr: (node) => statement.nested(node, () => expressionOf(place, node)),
    column: (node, isShown) => columnOf(place, node, isShown),
    inside: (clause) => placeOf(statement, level, ctes, clause),
    withoutWindows: () => placeOf(statement, level, ctes, aggregates),
  };
  return place;
}

function expressionOf(place: Place, node: Node): Expr {
  const { aggregates } = place;
  if (typeof aggregates !== 'string' && aggregates.isGrouped(node) && !('ColumnRef' in node))
    return { ...place.inside('GROUP BY').expr(node), uses: 0, aggregated: true };
  if ('ColumnRef' in node) return columnOf(place, node.ColumnRef, false);
  if ('A_Const' in node) return literalOf(place, node.A_Const);
  if ('ParamRef' in node) return parameterRef(place, node.ParamRef);
  if ('TypeCast' in node) return castOf(place, node.TypeCast);
  if ('A_Expr' in node) return operation(place, node.A_Expr);
  if ('BoolExpr' in node) return logic(place, node.BoolExpr);
  if ('NullTest' in node) {
    const { arg, nulltesttype, location } = node.NullTest;
    return isNull(location ?? 0, place.expr(arg!), nulltesttype !== 'IS_NOT_NULL');
  }
  if ('BooleanTest' in node) return truthTest(place, node.BooleanTest);
  if ('CaseExpr' in node) return caseOf(place, node.CaseExpr);
  if ('CoalesceExpr' in node) return coalesce(place, node.CoalesceExpr.location ?? 0, node.CoalesceExpr.args ?? []);
  if ('MinMaxExpr' in node) return extreme(place, node.MinMaxExpr);
  if ('SQLValueFunction' in node) return valueFunction(place, node.SQLValueFunction);
  if ('SubLink' in node) return subquery(place, node.SubLink);
  if ('FuncCall' in node) return call(place, node);
  if ('A_ArrayExpr' in node) return listOfValues(place, node.A_ArrayExpr);
  if ('A_Indirection' in node) return memberOfList(place, node.A_Indirection);
  return place.statement.unsupported(node, `a ${open(node)[0]}`, 'docs/sql.md lists what can be used');
}

function call(place: Place, node: Extract<Node, { FuncCall: unknown }>): Expr {
  const name = functionName(node);
  if (node.FuncCall.over !== undefined) return windowCall(place, node.FuncCall, name!);
  return isAggregate(name) ? aggregateCall(place, node.FuncCall, name!) : functionCall(place, node.FuncCall);
}

/** A column of this select or of an outer one. `isShown`: the value is only shown, so a masked one may be used. */
export function columnOf(place: Place, node: ColumnRef, isShown: boolean): Expr {
  const { statement, level } = place;
  const at = node.location ?? 0;
  const names = textsOf(node.fields);
  if (names.length !== (node.fields ?? []).length)
    return statement.fault(at, 'a star is no value', 'name the columns, or write count(*)');
  const name = names.at(-1)!;
  const qualifier = names.length > 1 ? names.at(-2)! : null;
  if (names.length > 2) return statement.unsupported(at, `the name ${names.join('.')}`, 'write table.column');
  const found = level.find(qualifier, name);
  if (found.length === 0) return unknownColumn(place, at, qualifier, name);
  if (found.length > 1) {
    const tables = found.map(({ relation }) => `${relation.alias}.${name}`).join(' or ');
    return statement.fault(at, `${name} is ambiguous`, `write ${tables}`);
  }
  return reference(place, at, found[0]!, isShown);
}

function unknownColumn({ statement, level }: Place, at: number, qualifier: string | null, name: string): never {
  const known = level.names(qualifier);
  if (qualifier !== null && known.length === 0)
    return statement.fault(at, `there is no table ${shown(qualifier)} here`, 'name it in FROM');
  const column = qualifier === null ? name : `${qualifier}.${name}`;
  return statement.fault(at, `there is no column ${shown(column)}`, suggestion(name, [...new Set(known)]));
}

function reference(place: Place, at: number, { level, relation, column }: Named, isShown: boolean): Expr {
  const { type, integral, narrow, name } = column;
  const isOuter = level !== place.level;
  const aggregation = isOuter ? level.grouping : place.aggregates;
  if (aggregation instanceof Aggregation && !aggregation.admits(relation, name))
    place.statement.fault(at, `${relation.alias}.${name} is neither grouped by nor aggregated`, 'add it to GROUP BY');
  const slot = relation.slotOf(name, isShown);
  if (!isOuter) {
    const uses = aggregation instanceof Aggregation ? 0 : relation.bit;
    const grouped = aggregation instanceof Aggregation;
    const plain: Expr = {
      type,
      at,
      uses,
      outer: false,
      aggregated: grouped,
      evaluate: (tuple) => tuple[slot],
      integral,
      narrow,
      origin: { relation, name },
    };
    return grouped ? plain : { ...plain, column: { relation, name } };
  }
  const { depth } = level;
  for (let reader = place.level; reader !== level; reader = reader.parent!) reader.reads({ depth, slot, type });
  return {
    type,
    at,
    uses: 0,
    outer: true,
    aggregated: false,
    evaluate: (_, run) => run.outers[depth]![slot],
    integral,
    narrow,
  };
}

function logic(place: Place, { boolop, args, location }: BoolExpr): Expr {
  const at = location ?? 0;
  const parts = (args ?? []).map((arg) => condition(place, arg, 'an operand of AND, OR, NOT'));
  if (boolop === 'NOT_EXPR') return not(at, parts[0]!);
  return combined('boolean', at, parts, boolop === 'OR_EXPR' ? or(parts) : and(parts));
}

function operation(place: Place, node: A_Expr): Expr {
  const { statement } = place;
  const at = node.location ?? locationOf(node);
  const sign = textsOf(node.name).at(-1) ?? '';
  const right = (): Expr => place.expr(node.rexpr!);
  const left = (): Expr => place.expr(node.lexpr!);
  switch (node.kind) {
    case 'AEXPR_OP':
      return node.lexpr === undefined ? signed(place, at, sign, right()) : binary(place, at, sign, left(), right());
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL':
      return listMember(place, node, at, sign);
    case 'AEXPR_IN': {
      const found = inList(place, at, left(), listOf(node.rexpr).map(place.expr));
      return sign === '<>' ? not(at, found) : found;
    }
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE': {
      const found = like(place, at, left(), right(), node.kind === 'AEXPR_ILIKE');
      return sign.startsWith('!') ? not(at, found) : found;
    }
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN': {
      const [low, high] = listOf(node.rexpr).map(place.expr) as [Expr, Expr];
      const found = between(place, at, left(), low, high);
      return node.kind === 'AEXPR_BETWEEN' ? found : not(at, found);
    }
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT':
      return distinct(place, at, left(), right(), node.kind === 'AEXPR_DISTINCT');
    case 'AEXPR_NULLIF':
      return nullIf(place, at, left(), right());
    default:
      return statement.unsupported(at, `the operator ${sign}`, 'docs/sql.md lists the operators');
  }
}

function listOf(node: Node | undefined): readonly Node[] {
  return node !== undefined && 'List' in node ? (node.List.items ?? []) : [];
}

function binary(place: Place, at: number, sign: string, a: Expr, b: Expr): Expr {
  if (isJsonOperation(sign, a, b)) return jsonOperation(place, at, sign, a, b);
  if (isPatternSign(sign)) return matches(place, at, sign, a, b);
  if (Object.hasOwn(COMPARISONS, sign)) return compare(place, at, sign, a, b);
  if (SIGNS.has(sign)) return calculate(place, at, sign, a, b);
  if (sign === '||') return concatenate(place, at, a, b);
  return place.statement.unsupported(at, `the operator ${sign}`, 'docs/sql.md lists the operators');
}

/** The select list: stars expanded, and the name of each column. */
import type { Node, ResTarget } from 'libpg-query';
import type { Place } from '../context.ts';
import { coerce, settled } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { columnOf } from '../expression/expression.ts';
import { functionName } from '../expression/functions.ts';
import { locationOf, textsOf } from '../node.ts';
import type { SqlType } from '../type.ts';
import type { Output } from './relation.ts';

export interface Target {
  readonly name: string;
  /** Null for a column that a star stands for. */
  readonly node: Node | null;
  readonly expr: Expr;
}

export function outputOf({ name, expr }: Target): Output {
  return { name, type: expr.type, integral: expr.integral === true, narrow: expr.narrow === true };
}

/** The columns of a select list. `expected`: types of the columns that the rows are inserted into, for values without a type of their own. */
export function targetsOf(place: Place, nodes: readonly Node[], expected: readonly SqlType[] = []): Target[] {
  const { statement } = place;
  return nodes.flatMap((node, i) => {
    if (!('ResTarget' in node)) return [];
    const { val, name } = node.ResTarget;
    statement.only(node.ResTarget, ['name', 'val']);
    if (val === undefined) return [];
    const star = starOf(val);
    if (star !== null) return starTargets(place, node.ResTarget, star);
    const expr =
      'ColumnRef' in val ? statement.nested(val, () => columnOf(place, val.ColumnRef, true)) : place.expr(val);
    const wanted = expected[i];
    const typed =
      expr.untyped !== undefined && wanted !== undefined ? coerce(statement, expr, wanted) : settled(statement, expr);
    return { name: name ?? nameOf(val), node: val, expr: typed };
  });
}

/** The table of a star, '' for a star of all tables; null for a node that is no star. */
function starOf(node: Node): string | null {
  if (!('ColumnRef' in node)) return null;
  const fields = node.ColumnRef.fields ?? [];
  const last = fields.at(-1);
  if (last === undefined || !('A_Star' in last)) return null;
  return fields.length === 1 ? '' : (textsOf(fields).at(-1) ?? '');
}

function starTargets(place: Place, node: ResTarget, table: string): Target[] {
  const { statement, level } = place;
  const at = node.location ?? locationOf(node);
  const relations = level.relations.filter(({ alias }) => table === '' || alias === table);
  if (relations.length === 0)
    return statement.fault(
      at,
      table === '' ? 'a star without FROM' : `there is no table ${table} here`,
      'name columns',
    );
  return relations.flatMap((relation) =>
    relation.columns.map(({ name }) => {
      const fields = [relation.alias, name].map((sval) => ({ String: { sval } }));
      return { name, node: null, expr: columnOf(place, { fields, location: at }, true) };
    }),
  );
}

/** The name that PostgreSQL gives to a column without a name (parse_target.c FigureColname). */
function nameOf(node: Node): string {
  if ('ColumnRef' in node) return textsOf(node.ColumnRef.fields).at(-1) ?? '?column?';
  if ('FuncCall' in node) return functionName(node) ?? '?column?';
  if ('TypeCast' in node) {
    const inner = node.TypeCast.arg === undefined ? '?column?' : nameOf(node.TypeCast.arg);
    return inner === '?column?' ? (textsOf(node.TypeCast.typeName?.names).at(-1) ?? inner) : inner;
  }
  if ('CaseExpr' in node) return 'case';
  if ('CoalesceExpr' in node) return 'coalesce';
  if ('MinMaxExpr' in node) return node.MinMaxExpr.op === 'IS_LEAST' ? 'least' : 'greatest';
  if ('A_Expr' in node) return node.A_Expr.kind === 'AEXPR_NULLIF' ? 'nullif' : '?column?';
  if ('SQLValueFunction' in node) return (node.SQLValueFunction.op ?? '').replace('SVFOP_', '').toLowerCase();
  if ('SubLink' in node)
    return node.SubLink.subLinkType === 'EXISTS_SUBLINK' ? 'exists' : subqueryName(node.SubLink.subselect);
  return '?column?';
}

function subqueryName(node: Node | undefined): string {
  const first = node !== undefined && 'SelectStmt' in node ? node.SelectStmt.targetList?.[0] : undefined;
  if (first === undefined || !('ResTarget' in first)) return '?column?';
  const { name, val } = first.ResTarget;
  return name ?? (val === undefined ? '?column?' : nameOf(val));
}

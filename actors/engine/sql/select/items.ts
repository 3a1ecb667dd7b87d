/** GROUP BY and ORDER BY: expressions, names of output columns, and their numbers. */
import type { Node, SelectStmt } from 'libpg-query';
import type { Place, StatementContext } from '../context.ts';
import type { Aggregation } from '../expression/grouping.ts';
import { settled } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { formOf, textsOf } from '../node.ts';
import { isComparable } from '../type.ts';
import type { Output } from './relation.ts';
import type { OrderItem } from './sort.ts';
import { sortItem, sortsOf } from './sort-items.ts';
import type { Target } from './targets.ts';

/** The expressions of GROUP BY; `place` is that of the clause, before anything is grouped. */
export function groupItems(place: Place, node: SelectStmt, aggregation: Aggregation | null): Expr[] {
  const { statement } = place;
  return (node.groupClause ?? []).map((item) => {
    if ('GroupingSet' in item) return statement.unsupported(item, 'grouping sets', 'write one GROUP BY');
    const meant = meantBy(place, item, node.targetList ?? []);
    const expr = settled(statement, place.expr(meant));
    if (expr.outer) return statement.unsupported(expr.at, 'grouping by outer columns', 'leave it out');
    if (!isComparable(expr.type))
      return statement.unsupported(expr.at, `grouping by ${expr.type}`, 'group by a column');
    aggregation!.group(meant, expr);
    return expr;
  });
}

/** The expression of a GROUP BY item: a number, or a name that is no column of FROM, stands for an output column. */
function meantBy({ statement, level }: Place, node: Node, targets: readonly Node[]): Node {
  const number = numberIn(node);
  if (number !== null) {
    const value = valueIn(targets[number - 1]);
    return value ?? statement.fault(node, `there is no column ${number} in the select list`, 'name the column');
  }
  const name = nameIn(node);
  if (name === null || level.find(null, name).length > 0) return node;
  const named = targets.find((target) => 'ResTarget' in target && target.ResTarget.name === name);
  return valueIn(named) ?? node;
}

function valueIn(target: Node | undefined): Node | null {
  return target !== undefined && 'ResTarget' in target ? (target.ResTarget.val ?? null) : null;
}

function numberIn(node: Node): number | null {
  return 'A_Const' in node && node.A_Const.ival !== undefined ? (node.A_Const.ival.ival ?? 0) : null;
}

function nameIn(node: Node): string | null {
  if (!('ColumnRef' in node) || node.ColumnRef.fields?.length !== 1) return null;
  return textsOf(node.ColumnRef.fields)[0] ?? null;
}

/** The order of a plain select: by output columns, or by any expression over its rows. */
export function orderItems(place: Place, nodes: readonly Node[], targets: readonly Target[]): OrderItem[] {
  const { statement } = place;
  return sortsOf(statement, nodes).map((sort) => {
    const node = sort.node!;
    const output = outputAt(statement, node, targets);
    if (output >= 0) return sortItem(statement, sort, targets[output]!.expr, output);
    return sortItem(statement, sort, settled(statement, place.expr(node)), -1);
  });
}

/** The expressions of DISTINCT ON, which name output columns as ORDER BY does. */
export function distinctItems(place: Place, nodes: readonly Node[], targets: readonly Target[]): Expr[] {
  return nodes.map((node) => {
    const output = outputAt(place.statement, node, targets);
    return output >= 0 ? targets[output]!.expr : settled(place.statement, place.expr(node));
  });
}

function outputAt(statement: StatementContext, node: Node, targets: readonly Target[]): number {
  const known = columnAt(statement, node, targets);
  if (known >= 0) return known;
  const form = formOf(node);
  return targets.findIndex(
    (target) => target.node !== null && !('ColumnRef' in target.node) && formOf(target.node) === form,
  );
}

function columnAt(statement: StatementContext, node: Node, columns: readonly { readonly name: string }[]): number {
  const number = numberIn(node);
  if (number !== null) {
    if (number >= 1 && number <= columns.length) return number - 1;
    return statement.fault(node, `there is no column ${number} in the select list`, 'name the column');
  }
  const name = nameIn(node);
  return name === null ? -1 : columns.findIndex((column) => column.name === name);
}

/** The order of the rows of a set operation: by output columns only. */
export function outputItems(
  statement: StatementContext,
  nodes: readonly Node[],
  columns: readonly Output[],
): OrderItem[] {
  return sortsOf(statement, nodes).map((sort) => {
    const output = columnAt(statement, sort.node!, columns);
    if (output < 0) statement.unsupported(sort.node!, 'ordering a UNION by an expression', 'name one of its columns');
    return { ...sortItem(statement, sort, { ...columns[output]!, at: 0 }, output), expr: null };
  });
}

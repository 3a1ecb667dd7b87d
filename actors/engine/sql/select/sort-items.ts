/** ORDER BY: what each item says, in selects, aggregates and windows. */
import type { Node, SortBy } from 'libpg-query';
import type { StatementContext } from '../context.ts';
import type { Expr } from '../expression/expr.ts';
import { isComparable, type SqlType } from '../type.ts';
import type { OrderItem } from './sort.ts';

/** The items of an ORDER BY. */
export function sortsOf(statement: StatementContext, nodes: readonly Node[]): SortBy[] {
  return nodes.flatMap((node) => {
    if (!('SortBy' in node)) return [];
    statement.only(node.SortBy, ['node', 'sortby_dir', 'sortby_nulls']);
    return node.SortBy;
  });
}

/** One of them, of an expression or (by its place) an output column. */
export function sortItem(
  statement: StatementContext,
  { sortby_dir, sortby_nulls, node }: SortBy,
  given: Expr | { readonly type: SqlType; readonly at: number },
  output: number,
): OrderItem {
  const { type } = given;
  if (!isComparable(type)) statement.unsupported(node!, `ordering by ${type}`, 'order by something else');
  if (sortby_dir === 'SORTBY_USING') statement.unsupported(node!, 'ORDER BY … USING', 'write ASC or DESC');
  const descending = sortby_dir === 'SORTBY_DESC';
  const nullsFirst = sortby_nulls === 'SORTBY_NULLS_FIRST' || (sortby_nulls !== 'SORTBY_NULLS_LAST' && descending);
  return { expr: 'evaluate' in given ? given : null, output, type, descending, nullsFirst };
}

/** DISTINCT and DISTINCT ON while they are compiled. */
import type { SelectStmt } from 'libpg-query';
import type { Place } from '../context.ts';
import type { Expr } from '../expression/expr.ts';
import { formOf } from '../node.ts';
import { isComparable } from '../type.ts';
import { distinctItems } from './items.ts';
import type { OrderItem } from './sort.ts';
import type { Target } from './targets.ts';

export interface Distinct {
  /** Whether rows with equal columns are one. */
  readonly distinct: boolean;
  /** What tells rows apart instead; null for none. */
  readonly distinctOn: readonly Expr[] | null;
}

export function distinctOf(
  place: Place,
  node: SelectStmt,
  targets: readonly Target[],
  order: readonly OrderItem[],
): Distinct {
  const { statement } = place;
  const { distinctClause } = node;
  if (distinctClause === undefined) return { distinct: false, distinctOn: null };
  const isOn = distinctClause.some((one) => Object.keys(one).length > 0);
  const by = isOn ? distinctItems(place, distinctClause, targets) : targets.map(({ expr }) => expr);
  const odd = by.find(({ type }) => !isComparable(type));
  if (odd !== undefined) statement.unsupported(odd.at, `DISTINCT over ${odd.type}`, 'leave the column out');
  if (isOn) {
    checkOnOrder(place, node, by, targets, order);
    return { distinct: false, distinctOn: by };
  }
  if (order.some(({ output }) => output < 0))
    statement.fault(node.sortClause![0]!, 'DISTINCT is ordered by its own columns', 'select what it is ordered by');
  return { distinct: true, distinctOn: null };
}

/** The order begins with what the rows are told apart by, so that the first row of each kind is the first in the order. */
function checkOnOrder(
  { statement }: Place,
  node: SelectStmt,
  by: readonly Expr[],
  targets: readonly Target[],
  order: readonly OrderItem[],
): void {
  const wanted = new Set(by.map((expr, i) => formIn(expr, node.distinctClause![i], targets)));
  for (const [i, { expr, output }] of order.entries()) {
    if (wanted.size === 0) return;
    const sort = node.sortClause![i]!;
    const form = formIn(expr ?? targets[output]!.expr, 'SortBy' in sort ? sort.SortBy.node : undefined, targets);
    if (!wanted.delete(form) && !by.some((one, at) => formIn(one, node.distinctClause![at], targets) === form))
      statement.fault(
        sort,
        'SELECT DISTINCT ON expressions must match initial ORDER BY expressions',
        'order by them first',
      );
  }
}

/** A key for the same expression under another name, or at another place. */
function formIn({ column, at }: Expr, node: unknown, targets: readonly Target[]): string {
  if (column !== undefined) return `${column.relation.alias}.${column.name}`;
  const target = targets.find(({ expr }) => expr.at === at);
  return formOf(target?.node ?? node);
}

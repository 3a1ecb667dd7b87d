/** Compiles a select: plain, VALUES, or a set operation. */
import type { Node, SelectStmt, WithClause } from 'libpg-query';
import { shown } from '#actors/kit/shown.ts';
import type { Ctes, Place, StatementContext } from '../context.ts';
import { holdsAggregate } from '../expression/aggregation.ts';
import { Aggregation } from '../expression/grouping.ts';
import { coerce } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { placeOf } from '../expression/expression.ts';
import { isComparable } from '../type.ts';
import type { SqlType } from '../type.ts';
import { baseOf, conjunctsOf, fromOf } from './from.ts';
import { groupItems, orderItems, outputItems } from './items.ts';
import { Level } from './level.ts';
import { SelectPlan } from './plan.ts';
import type { Plan } from './relation.ts';
import { setOperation } from './set-operation.ts';
import { outputOf, targetsOf } from './targets.ts';
import { valuesPlan } from './values.ts';

const KNOWN: readonly string[] = [
  'distinctClause',
  'targetList',
  'fromClause',
  'whereClause',
  'groupClause',
  'havingClause',
  'valuesLists',
  'sortClause',
  'limitOffset',
  'limitCount',
  'limitOption',
  'withClause',
  'op',
  'all',
  'larg',
  'rarg',
];

/** A select as a plan. `parent`: the select around it, whose columns it may read. */
export function compileSelect(
  statement: StatementContext,
  node: Node,
  parent: Level | null,
  ctes: Ctes,
  expected: readonly SqlType[] = [],
): Plan {
  if (!('SelectStmt' in node))
    return statement.unsupported(node, 'a statement that writes, inside another', 'declare it as an action of its own');
  return statement.nested(node, () => selectOf(statement, node.SelectStmt, parent, ctes, expected));
}

function selectOf(
  statement: StatementContext,
  node: SelectStmt,
  parent: Level | null,
  outerCtes: Ctes,
  expected: readonly SqlType[],
): Plan {
  statement.only(node, KNOWN);
  statement.countSelect(node);
  if (node.limitOption === 'LIMIT_OPTION_WITH_TIES') statement.unsupported(node, 'WITH TIES', 'write LIMIT');
  const ctes = withCtes(statement, node.withClause, outerCtes);
  const window = {
    limit: countExpr(statement, node.limitCount, ctes),
    offset: countExpr(statement, node.limitOffset, ctes),
  };
  if (node.op !== undefined && node.op !== 'SETOP_NONE') {
    const sides = [node.larg!, node.rarg!].map((side) => selectOf(statement, side, parent, ctes, expected)) as [
      Plan,
      Plan,
    ];
    return setOperation(
      statement,
      node,
      sides,
      (columns) => outputItems(statement, node.sortClause ?? [], columns),
      window,
    );
  }
  if (node.valuesLists !== undefined) {
    if (node.sortClause !== undefined)
      statement.unsupported(node, 'VALUES with ORDER BY', 'sort in a select around it');
    return valuesPlan(placeOf(statement, new Level(parent), ctes, 'VALUES'), node.valuesLists, window);
  }
  return plainSelect(statement, node, new Level(parent), ctes, window, expected);
}

/** The names that WITH adds. */
export function withCtes(statement: StatementContext, node: WithClause | undefined, outer: Ctes): Ctes {
  if (node === undefined) return outer;
  if (node.recursive === true) statement.unsupported(node, 'WITH RECURSIVE', 'join as often as there are levels');
  const ctes = new Map(outer);
  const here = new Set<string>();
  for (const item of node.ctes ?? []) {
    if (!('CommonTableExpr' in item)) continue;
    const { CommonTableExpr: cte } = item;
    statement.only(cte, ['ctename', 'ctequery', 'ctematerialized']);
    const name = cte.ctename ?? '';
    if (here.has(name)) statement.fault(item, `the name ${shown(name)} is given twice`, 'rename one of them');
    here.add(name);
    ctes.set(name, statement.select(cte.ctequery!, null, ctes));
  }
  return ctes;
}

interface Window {
  readonly limit: Expr | null;
  readonly offset: Expr | null;
}

function countExpr(statement: StatementContext, node: Node | undefined, ctes: Ctes): Expr | null {
  if (node === undefined) return null;
  const place = placeOf(statement, new Level(null), ctes, 'LIMIT');
  const expr = place.expr(node);
  if (place.level.subqueries.length > 0) statement.unsupported(node, 'a subquery in LIMIT', 'pass it as a parameter');
  if (expr.type !== 'integer' && expr.type !== 'unknown')
    statement.fault(node, `LIMIT and OFFSET are integers, not ${expr.type}`, 'cast it');
  return coerce(statement, expr, 'integer');
}

function plainSelect(
  statement: StatementContext,
  node: SelectStmt,
  level: Level,
  ctes: Ctes,
  window: Window,
  expected: readonly SqlType[],
): Plan {
  const from = fromOf(statement, level, ctes, node.fromClause ?? []);
  const wherePlace = placeOf(statement, level, ctes, 'WHERE');
  const where = conjunctsOf(wherePlace, node.whereClause, 'WHERE');
  const base = baseOf(wherePlace, from, where);
  const isGrouped = [node.targetList, node.havingClause, node.sortClause].some(holdsAggregate);
  const aggregation =
    isGrouped || node.groupClause !== undefined || node.havingClause !== undefined ? new Aggregation() : null;
  const by = groupItems(placeOf(statement, level, ctes, 'GROUP BY'), node, aggregation);
  level.grouping = aggregation;
  const place = placeOf(statement, level, ctes, aggregation ?? 'this place');
  const targets = targetsOf(place, node.targetList ?? [], expected);
  const exprs = targets.map(({ expr }) => expr);
  const having = conjunctsOf(place, node.havingClause, 'HAVING');
  const distinct = isDistinct(place, node, exprs);
  const order = orderItems(place, node.sortClause ?? [], targets);
  if (distinct) checkDistinctOrder(statement, node, order);
  const groups = aggregation === null ? null : { by, aggregates: aggregation.aggregates };
  const columns = targets.map(outputOf);
  return new SelectPlan({ level, base, groups, having, targets: exprs, columns, distinct, order, ...window });
}

function isDistinct({ statement }: Place, { distinctClause }: SelectStmt, targets: readonly Expr[]): boolean {
  if (distinctClause === undefined) return false;
  if (distinctClause.some((node) => Object.keys(node).length > 0))
    return statement.unsupported(distinctClause[0]!, 'DISTINCT ON', 'group by these columns');
  const odd = targets.find(({ type }) => !isComparable(type));
  if (odd !== undefined) statement.unsupported(odd.at, `DISTINCT over ${odd.type}`, 'leave the column out');
  return true;
}

function checkDistinctOrder(statement: StatementContext, node: SelectStmt, order: ReturnType<typeof orderItems>): void {
  if (order.some(({ output }) => output < 0))
    statement.fault(node.sortClause![0]!, 'DISTINCT is ordered by its own columns', 'select what it is ordered by');
}

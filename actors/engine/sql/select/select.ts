/** Compiles a select: plain, VALUES, or a set operation. */
import type { Node, SelectStmt } from 'libpg-query';
import type { Ctes, StatementContext } from '../context.ts';
import { holdsAggregate } from '../expression/aggregation.ts';
import { Aggregation } from '../expression/grouping.ts';
import { Windows } from '../expression/windows.ts';
import { coerce } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { placeOf } from '../expression/expression.ts';
import type { SqlType } from '../type.ts';
import { distinctOf } from './distinct.ts';
import { baseOf, conjunctsOf, fromOf } from './from.ts';
import { groupItems, orderItems, outputItems } from './items.ts';
import { Level } from './level.ts';
import { readsFurther, SelectPlan } from './plan.ts';
import type { Plan } from './relation.ts';
import { setOperation } from './set-operation.ts';
import { outputOf, targetsOf } from './targets.ts';
import { valuesPlan } from './values.ts';
import { withCtes } from './with.ts';

const KNOWN: readonly string[] = [
  'distinctClause',
  'targetList',
  'fromClause',
  'whereClause',
  'groupClause',
  'havingClause',
  'windowClause',
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
  checkFurther(statement, level, node);
  const wherePlace = placeOf(statement, level, ctes, 'WHERE');
  const where = conjunctsOf(wherePlace, node.whereClause, 'WHERE');
  const base = baseOf(wherePlace, from, where);
  const isGrouped = [node.targetList, node.havingClause, node.sortClause].some(holdsAggregate);
  const aggregation =
    isGrouped || node.groupClause !== undefined || node.havingClause !== undefined ? new Aggregation() : null;
  const by = groupItems(placeOf(statement, level, ctes, 'GROUP BY'), node, aggregation);
  level.grouping = aggregation;
  const windows = new Windows((node.windowClause ?? []).flatMap((one) => ('WindowDef' in one ? one.WindowDef : [])));
  const place = placeOf(statement, level, ctes, aggregation ?? 'this place', windows);
  const targets = targetsOf(place, node.targetList ?? [], expected);
  const exprs = targets.map(({ expr }) => expr);
  const having = conjunctsOf(place.withoutWindows(), node.havingClause, 'HAVING');
  const order = orderItems(place, node.sortClause ?? [], targets);
  const { distinct, distinctOn } = distinctOf(place, node, targets, order);
  const groups = aggregation === null ? null : { by, aggregates: aggregation.aggregates };
  const columns = targets.map(outputOf);
  const found = { level, base, groups, having, windows: windows.all };
  return new SelectPlan({ ...found, targets: exprs, columns, distinct, distinctOn, order, ...window });
}

/** Rows of FROM that depend on selects further out are found for each row around, when no other turn can run: entities are not read then. */
function checkFurther(statement: StatementContext, level: Level, node: SelectStmt): void {
  const further = level.relations.find((relation) => readsFurther(level, relation));
  if (further === undefined || level.relations.every(({ table }) => table === null)) return;
  const mend = 'write the subquery as "cross join lateral" in FROM, or read the entity in a subquery of its own';
  statement.unsupported(
    node.fromClause![0]!,
    `${further.alias}, which reads a select further out, beside an entity`,
    mend,
  );
}

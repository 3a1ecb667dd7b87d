/** Subqueries in expressions: EXISTS, IN (select …), and a select that gives one value. */
import type { SubLink } from 'libpg-query';
import { limits } from '#config/limits.ts';
import type { Place } from '../context.ts';
import { SqlFault } from '../fault.ts';
import { textsOf } from '../node.ts';
import type { Run, Steps, Tuple } from '../run.ts';
import { rowsAround } from '../select/around.ts';
import type { Plan } from '../select/relation.ts';
import { commonType, isComparable, isList, listOf, type Value } from '../type.ts';
import { implicit } from '../value/cast.ts';
import { comparison } from '../value/compare.ts';
import { boundedList } from '../value/list.ts';
import { coerce } from './coerce.ts';
import { membership } from './comparison.ts';
import { combined, type Expr } from './expr.ts';

export function subquery(place: Place, node: SubLink): Expr {
  const { statement, level, ctes } = place;
  const at = node.location ?? 0;
  const plan = statement.select(node.subselect!, level, ctes);
  level.subqueries.push(plan);
  switch (node.subLinkType) {
    case 'EXISTS_SUBLINK':
      return {
        ...dependent(place, plan, at),
        type: 'boolean',
        evaluate: (tuple, run) => rowsFor(place, plan, tuple, run).length > 0,
      };
    case 'EXPR_SUBLINK':
      return oneValue(place, at, plan);
    case 'ANY_SUBLINK': {
      const sign = textsOf(node.operName)[0] ?? '=';
      if (sign !== '=') return statement.unsupported(at, `${sign} any (select …)`, 'use EXISTS');
      return member(place, at, place.expr(node.testexpr!), plan);
    }
    case 'ARRAY_SUBLINK':
      return listOfRows(place, at, plan);
    default:
      return statement.unsupported(at, 'this subquery', 'use EXISTS, IN or a select of one value');
  }
}

/** The dependencies of a subquery: none, or rows of the select around it (all relations of that), or of a select further out. */
function dependent({ level }: Place, plan: Plan, at: number): Omit<Expr, 'type' | 'evaluate'> {
  const outer = [...plan.outerDepths].some((depth) => depth < level.depth);
  return { at, uses: plan.outerDepths.has(level.depth) ? -1 : 0, outer, aggregated: false };
}

/** The rows of a subquery for one outer row. All that it had to wait for was found before (`prepare`). */
function rowsFor({ level }: Place, plan: Plan, tuple: Tuple, run: Run): Value[][] {
  run.outers[level.depth] = tuple;
  return drained(run, rowsAround(run, plan));
}

/** Runs steps without a pause: other turns run between outer rows, so the cost for one outer row is bounded. */
function drained<T>(run: Run, steps: Steps<T>): T {
  const most = run.seen + limits.sql.aroundRowsMax;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (step.value !== undefined) throw new Error('a subquery was not prepared');
    if (run.seen > most)
      throw new SqlFault(`a subquery looks at more than ${limits.sql.aroundRowsMax} rows for one row around it`);
  }
}

function oneValue(place: Place, at: number, plan: Plan): Expr {
  onlyColumn(place, at, plan);
  const evaluate = (tuple: Tuple, run: Run): Value => {
    const rows = rowsFor(place, plan, tuple, run);
    if (rows.length > 1) throw new SqlFault('more than one row returned by a subquery used as an expression');
    return rows[0]?.[0] ?? null;
  };
  return { ...dependent(place, plan, at), type: plan.columns[0]!.type, narrow: plan.columns[0]!.narrow, evaluate };
}

/** `array(select …)`. */
function listOfRows(place: Place, at: number, plan: Plan): Expr {
  onlyColumn(place, at, plan);
  const { type } = plan.columns[0]!;
  if (isList(type)) return place.statement.unsupported(at, 'a list of lists', 'use jsonb_agg');
  const evaluate = (tuple: Tuple, run: Run): Value =>
    boundedList(rowsFor(place, plan, tuple, run).map(([value]) => value ?? null));
  return { ...dependent(place, plan, at), type: listOf(type), evaluate };
}

function member(place: Place, at: number, given: Expr, plan: Plan): Expr {
  const { statement } = place;
  onlyColumn(place, at, plan);
  const { type: listed } = plan.columns[0]!;
  const type = commonType(given.type, listed);
  const convert = type === null ? null : implicit(listed, type);
  if (type === null || convert === null || !isComparable(type))
    return statement.fault(at, `${given.type} and ${listed} cannot be compared`, 'cast one of them');
  const left = coerce(statement, given, type);
  const values = (tuple: Tuple, run: Run): Value[] =>
    rowsFor(place, plan, tuple, run).map(([value]) => (value === null ? null : convert(value)));
  if (plan.outerDepths.size === 0) return membership(at, [left], left, (run) => values([], run));
  const order = comparison(type);
  const test = (tuple: Tuple, run: Run): boolean | null => {
    const list = values(tuple, run);
    const value = left.evaluate(tuple, run);
    if (list.length === 0) return false;
    if (value === null) return null;
    if (list.some((one) => one !== null && order(one, value) === 0)) return true;
    return list.includes(null) ? null : false;
  };
  const { uses, outer } = dependent(place, plan, at);
  return { ...combined('boolean', at, [left], test), uses: uses | left.uses, outer: outer || left.outer };
}

function onlyColumn({ statement }: Place, at: number, plan: Plan): void {
  if (plan.columns.length !== 1)
    statement.fault(at, `the subquery gives ${plan.columns.length} columns`, 'select one column');
}

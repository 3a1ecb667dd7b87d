/** FROM and WHERE: the relations, how they are joined, and which conditions each step checks. */
import type { Alias, JoinExpr, Node, RangeFunction, RangeSubselect, RangeVar } from 'libpg-query';
import { limits } from '#config/limits.ts';
import { suggestion } from '#config/values/suggest.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Ctes, Place, StatementContext } from '../context.ts';
import { condition } from '../expression/conditional.ts';
import type { Equality, Expr, Push } from '../expression/expr.ts';
import { open, textsOf } from '../node.ts';
import type { SqlTable } from '../schema.ts';
import { typeOfField } from '../type.ts';
import { relationsOf, type JoinType, type Step } from './join.ts';
import type { Level } from './level.ts';
import type { Output, Plan, Relation } from './relation.ts';
import type { Source } from './scan.ts';
import { functionOf } from './table-function.ts';

/** The FROM clause as written. */
export type From =
  | { readonly kind: 'relation'; readonly relation: Relation }
  | {
      readonly kind: 'joined';
      readonly type: JoinType;
      readonly left: From;
      readonly right: From;
      readonly on: Node | null;
    };

export function tableOf(statement: StatementContext, node: RangeVar): SqlTable {
  statement.only(node, ['relname', 'inh', 'relpersistence', 'alias']);
  const name = node.relname ?? '';
  const table = statement.schema.get(name);
  if (table === undefined)
    return statement.fault(node, `there is no entity ${shown(name)}`, suggestion(name, statement.schema.names));
  statement.entities.add(name);
  return table;
}

function columnsOf(table: SqlTable): Output[] {
  return table.columns.map(({ name, type }) => ({ name, type: typeOfField(type), integral: false, narrow: false }));
}

export function addRelation(
  statement: StatementContext,
  level: Level,
  at: number | object,
  alias: string,
  source: SqlTable | Plan,
): Relation {
  const relation = level.add(alias, source, 'key' in source ? columnsOf(source) : source.columns);
  if (relation !== null) return relation;
  return level.relations.length === limits.sql.relationsMax
    ? statement.fault(at, `there are more than ${limits.sql.relationsMax} relations`, 'split the statement')
    : statement.fault(at, `the name ${shown(alias)} stands for two relations`, 'give one of them another alias');
}

export function fromOf(statement: StatementContext, level: Level, ctes: Ctes, nodes: readonly Node[]): From | null {
  let all: From | null = null;
  for (const node of nodes) {
    const next = itemOf(statement, level, ctes, node);
    all = all === null ? next : { kind: 'joined', type: 'inner', left: all, right: next, on: null };
  }
  return all;
}

function itemOf(statement: StatementContext, level: Level, ctes: Ctes, node: Node): From {
  if ('RangeVar' in node) return { kind: 'relation', relation: named(statement, level, ctes, node.RangeVar) };
  if ('RangeSubselect' in node)
    return { kind: 'relation', relation: derived(statement, level, ctes, node.RangeSubselect) };
  if ('RangeFunction' in node)
    return { kind: 'relation', relation: called(statement, level, ctes, node.RangeFunction) };
  if ('JoinExpr' in node) return statement.nested(node, () => joinOf(statement, level, ctes, node.JoinExpr));
  return statement.unsupported(node, `a ${open(node)[0]} in FROM`, 'name an entity, or write a subquery');
}

function named(statement: StatementContext, level: Level, ctes: Ctes, node: RangeVar): Relation {
  const cte = ctes.get(node.relname ?? '');
  const alias = node.alias?.aliasname ?? node.relname ?? '';
  if (cte !== undefined) return addRelation(statement, level, node, alias, renamed(statement, cte, node.alias));
  if (node.alias !== undefined) statement.only(node.alias, ['aliasname']);
  return addRelation(statement, level, node, alias, tableOf(statement, node));
}

function derived(statement: StatementContext, level: Level, ctes: Ctes, node: RangeSubselect): Relation {
  statement.only(node, ['lateral', 'subquery', 'alias']);
  const plan = statement.select(node.subquery!, node.lateral === true ? level : null, ctes);
  const alias = node.alias?.aliasname ?? `subquery ${level.relations.length + 1}`;
  return reading(level, addRelation(statement, level, node, alias, renamed(statement, plan, node.alias)));
}

function called(statement: StatementContext, level: Level, ctes: Ctes, node: RangeFunction): Relation {
  const { plan, name, isScalar } = functionOf(statement, level, ctes, node);
  const relation = addRelation(
    statement,
    level,
    node,
    node.alias?.aliasname ?? name,
    renamed(statement, plan, node.alias),
  );
  relation.isScalar = isScalar;
  return reading(level, relation);
}

/** Notes which relations a plan's rows depend on: as far as is known, all before it. */
function reading({ depth }: Level, relation: Relation): Relation {
  if (relation.plan!.outerDepths.has(depth)) relation.lateral = { reads: relation.bit - 1, depth };
  return relation;
}

/** The plan with the names that an alias gives to its columns. */
function renamed(statement: StatementContext, plan: Plan, alias: Alias | undefined): Plan {
  if (alias === undefined) return plan;
  statement.only(alias, ['aliasname', 'colnames']);
  return withNames(statement, plan, textsOf(alias.colnames), alias);
}

export function withNames(statement: StatementContext, plan: Plan, names: readonly string[], at: object): Plan {
  if (names.length === 0) return plan;
  if (names.length > plan.columns.length)
    statement.fault(at, `there are ${names.length} names for ${plan.columns.length} columns`, 'leave some of them out');
  const columns = plan.columns.map((column, i) => ({ ...column, name: names[i] ?? column.name }));
  const { outerDepths, outerReads } = plan;
  return { columns, outerDepths, outerReads, prepare: (run) => plan.prepare(run), rows: (run) => plan.rows(run) };
}

const JOINS: Readonly<Partial<Record<NonNullable<JoinExpr['jointype']>, JoinType>>> = {
  JOIN_INNER: 'inner',
  JOIN_LEFT: 'left',
  JOIN_RIGHT: 'right',
  JOIN_FULL: 'full',
};

function joinOf(statement: StatementContext, level: Level, ctes: Ctes, node: JoinExpr): From {
  statement.only(node, ['jointype', 'larg', 'rarg', 'quals', 'rtindex']);
  const type = JOINS[node.jointype ?? 'JOIN_INNER'];
  if (type === undefined) return statement.unsupported(node, 'this join', 'use inner, left, right or full join');
  const left = itemOf(statement, level, ctes, node.larg!);
  const right = itemOf(statement, level, ctes, node.rarg!);
  return { kind: 'joined', type, left, right, on: node.quals ?? null };
}

function bitsOf(from: From): number {
  return from.kind === 'relation' ? from.relation.bit : bitsOf(from.left) | bitsOf(from.right);
}

function isInner(from: From): boolean {
  return from.kind === 'relation' || (from.type === 'inner' && isInner(from.left) && isInner(from.right));
}

function relationsIn(from: From): Relation[] {
  return from.kind === 'relation' ? [from.relation] : [...relationsIn(from.left), ...relationsIn(from.right)];
}

/** The parts of a condition that AND connects, compiled one by one. */
export function conjunctsOf(place: Place, node: Node | undefined | null, what: string): Expr[] {
  if (node === undefined || node === null) return [];
  if ('BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR')
    return (node.BoolExpr.args ?? []).flatMap((arg) => conjunctsOf(place, arg, what));
  return [condition(place, node, what)];
}

/** How the rows are found, and the conditions that need rows of outer selects. */
export interface Base {
  readonly step: Step | null;
  /** The conditions of a select without FROM. */
  readonly conditions: readonly Expr[];
  readonly outer: readonly Expr[];
}

/** How the rows of FROM and WHERE are found. `place` is that of the WHERE clause. */
export function baseOf(place: Place, from: From | null, where: readonly Expr[]): Base {
  if (from === null)
    return { step: null, conditions: where.filter(({ outer }) => !outer), outer: where.filter(({ outer }) => outer) };
  if (isInner(from)) return innerBase(place, from, where);
  const inner = where.filter((expr) => !expr.outer);
  const pushes = inner.flatMap(({ push }) => (push === undefined || push.op === 'null' ? [] : push));
  const step = outerStep(place, from, pushes);
  return { step: filtered(step, inner), conditions: [], outer: where.filter(({ outer }) => outer) };
}

/** Inner joins can be done in any order: each step takes the relation that the conditions narrow most. */
function innerBase(place: Place, from: From, where: readonly Expr[]): Base {
  const all = [...onConditions(place, from), ...where];
  const pool = new Set(all.filter(({ outer }) => !outer));
  const outer = all.filter((expr) => expr.outer);
  const sources = relationsIn(from).map((relation) => sourceOf(relation, pool));
  const first = takeBest(sources, 0, () => true);
  let step: Step = first;
  let { bit: bits } = first.relation;
  while (sources.length > 0) {
    const known = bits;
    const next = takeBest(sources, known, ({ relation }) => keysBetween(pool, known, relation.bit).length > 0);
    const keys = next.relation.lateral === null ? keysBetween(pool, bits, next.relation.bit) : [];
    for (const { expr } of keys) pool.delete(expr);
    bits |= next.relation.bit;
    const conditions = takeCovered(pool, bits);
    step = { kind: 'join', type: 'inner', left: step, right: next, keys: keys.map(({ key }) => key), conditions };
  }
  return { step: filtered(step, [...pool]), conditions: [], outer };
}

function onConditions(place: Place, from: From): Expr[] {
  if (from.kind === 'relation') return [];
  const own = conjunctsOf(place, from.on, 'ON');
  checkReach(place, own, from);
  return [...onConditions(place, from.left), ...onConditions(place, from.right), ...own];
}

function checkReach({ statement }: Place, conditions: readonly Expr[], from: From): void {
  const reach = bitsOf(from);
  for (const { uses, at } of conditions)
    if (uses !== -1 && (uses & ~reach) !== 0)
      statement.fault(at, 'ON names a relation that is not part of its join', 'move the condition to WHERE');
}

/** A relation with the conditions that read only it; they are removed from the pool. */
function sourceOf(relation: Relation, pool: Set<Expr>): Source {
  const conditions = [...pool].filter(({ uses }) => uses === relation.bit);
  for (const condition of conditions) pool.delete(condition);
  return { kind: 'source', relation, conditions, pushes: pushesOf(relation, conditions) };
}

function pushesOf(relation: Relation, conditions: readonly Expr[]): Push[] {
  return conditions.flatMap(({ push }) => (push?.relation === relation ? push : []));
}

function takeCovered(pool: Set<Expr>, bits: number): Expr[] {
  const covered = [...pool].filter(({ uses }) => uses !== -1 && (uses & ~bits) === 0);
  for (const condition of covered) pool.delete(condition);
  return covered;
}

/** Takes the source that its conditions narrow most, among those that fit if there are any. One that reads others comes after them. */
function takeBest(sources: Source[], known: number, fits: (source: Source) => boolean): Source {
  const ready = sources.filter(({ relation: { lateral } }) => lateral === null || (lateral.reads & ~known) === 0);
  const fitting = ready.filter(fits);
  const from = fitting.length > 0 ? fitting : ready;
  let best = from[0]!;
  for (const source of from) if (rankOf(source) < rankOf(best)) best = source;
  sources.splice(sources.indexOf(best), 1);
  return best;
}

function rankOf({ relation: { table }, pushes }: Source): number {
  if (table === null) return 3;
  const fixed = pushes.filter(({ op }) => op === 'eq').map(({ column }) => column);
  if (table.unique.some((names) => names.every((name) => fixed.includes(name)))) return 0;
  if (fixed.length > 0 || pushes.some(({ op }) => op === 'in')) return 1;
  return pushes.length > 0 ? 2 : 4;
}

function keysBetween(pool: Iterable<Expr>, left: number, right: number): { expr: Expr; key: Equality }[] {
  return [...pool].flatMap((expr) => {
    const key = keyBetween(expr, left, right);
    return key === null ? [] : { expr, key };
  });
}

/** The equality as left side = right side; null when it is not one between the two sides. */
function keyBetween({ equality }: Expr, left: number, right: number): Equality | null {
  if (equality === undefined) return null;
  const within = ({ uses, outer }: Expr, bits: number): boolean => uses !== 0 && (uses & ~bits) === 0 && !outer;
  if (within(equality.left, left) && within(equality.right, right)) return equality;
  if (within(equality.right, left) && within(equality.left, right))
    return { left: equality.right, right: equality.left };
  return null;
}

/** Outer joins in the order written. A condition of WHERE that rejects nulls may narrow a table all the same: it is checked again afterwards. */
function outerStep(place: Place, from: From, pushes: readonly Push[]): Step {
  if (from.kind === 'relation') {
    const { relation } = from;
    return { kind: 'source', relation, conditions: [], pushes: pushes.filter((push) => push.relation === relation) };
  }
  const { type } = from;
  const conditions = conjunctsOf(place, from.on, 'ON');
  checkReach(place, conditions, from);
  const outer = conditions.find((expr) => expr.outer);
  if (outer !== undefined)
    place.statement.unsupported(outer.at, 'an outer join by columns of an outer select', 'move the condition to WHERE');
  const left = outerStep(place, from.left, pushes);
  const right = outerStep(place, from.right, pushes);
  const lateral = lateralIn(place, from);
  const keys = lateral ? [] : keysBetween(conditions, bitsOf(from.left), bitsOf(from.right));
  const keyed = new Set(keys.map(({ expr }) => expr));
  const rest = conditions.filter((expr) => !keyed.has(expr));
  const own = type === 'left' && right.kind === 'source' ? rest.filter(({ uses }) => uses === right.relation.bit) : [];
  return {
    kind: 'join',
    type,
    left,
    right: own.length === 0 ? right : narrowed(right as Source, own),
    keys: keys.map(({ key }) => key),
    conditions: rest.filter((expr) => !own.includes(expr)),
  };
}

/** Whether the right side of a join reads the rows of the left one; refused where these are not all that it reads. */
function lateralIn({ statement }: Place, { type, left, right }: Extract<From, { kind: 'joined' }>): boolean {
  const [one] = relationsIn(right).filter(({ lateral }) => lateral !== null && (lateral.reads & ~bitsOf(right)) !== 0);
  if (one === undefined) return false;
  if (right.kind !== 'relation' || (type !== 'inner' && type !== 'left') || (one.lateral!.reads & ~bitsOf(left)) !== 0)
    return statement.unsupported(
      0,
      `a lateral ${one.alias} at this place of an outer join`,
      'write "cross join lateral" or "left join lateral" last',
    );
  return true;
}

function narrowed(source: Source, conditions: readonly Expr[]): Source {
  return { ...source, conditions, pushes: [...source.pushes, ...pushesOf(source.relation, conditions)] };
}

/** The step with further conditions on its rows. */
function filtered(step: Step, conditions: readonly Expr[]): Step {
  if (conditions.length === 0) return step;
  if (step.kind === 'source') {
    const pushes = [...step.pushes, ...pushesOf(step.relation, conditions)];
    return { ...step, conditions: [...step.conditions, ...conditions], pushes };
  }
  if (step.type === 'inner') return { ...step, conditions: [...step.conditions, ...conditions] };
  // What reads the left side of a left join alone is checked before the right side is looked for.
  const bits = step.type === 'left' ? relationsOf(step.left).reduce((all, { bit }) => all | bit, 0) : 0;
  const isEarly = ({ uses }: Expr): boolean => uses > 0 && (uses & ~bits) === 0;
  const rest = conditions.filter((one) => !isEarly(one));
  return {
    ...step,
    left: filtered(step.left, conditions.filter(isEarly)),
    ...(rest.length > 0 && { checks: [...(step.checks ?? []), ...rest] }),
  };
}

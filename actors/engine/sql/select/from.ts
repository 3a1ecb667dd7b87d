/** FROM and WHERE: the relations, how they are joined, and which conditions each step checks. */
import type { JoinExpr, Node, RangeSubselect, RangeVar } from 'libpg-query';
import { limits } from '#config/limits.ts';
import { suggestion } from '#config/values/suggest.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Ctes, Place, StatementContext } from '../context.ts';
import { condition } from '../expression/conditional.ts';
import type { Equality, Expr, Push } from '../expression/expr.ts';
import { open } from '../node.ts';
import type { SqlTable } from '../schema.ts';
import { typeOfField } from '../type.ts';
import type { JoinType, Step } from './join.ts';
import type { Level } from './level.ts';
import type { Output, Plan, Relation } from './relation.ts';
import type { Source } from './scan.ts';

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
  if ('JoinExpr' in node) return statement.nested(node, () => joinOf(statement, level, ctes, node.JoinExpr));
  return statement.unsupported(node, `a ${open(node)[0]} in FROM`, 'name an entity, or write a subquery');
}

function named(statement: StatementContext, level: Level, ctes: Ctes, node: RangeVar): Relation {
  const cte = ctes.get(node.relname ?? '');
  if (node.alias !== undefined) statement.only(node.alias, ['aliasname']);
  const alias = node.alias?.aliasname ?? node.relname ?? '';
  return addRelation(statement, level, node, alias, cte ?? tableOf(statement, node));
}

function derived(statement: StatementContext, level: Level, ctes: Ctes, node: RangeSubselect): Relation {
  statement.only(node, ['subquery', 'alias']);
  if (node.alias !== undefined) statement.only(node.alias, ['aliasname']);
  const plan = statement.select(node.subquery!, null, ctes);
  const alias = node.alias?.aliasname ?? `subquery ${level.relations.length + 1}`;
  return addRelation(statement, level, node, alias, plan);
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
  const first = takeBest(sources, () => true);
  let step: Step = first;
  let { bit: bits } = first.relation;
  while (sources.length > 0) {
    const known = bits;
    const next = takeBest(sources, ({ relation }) => keysBetween(pool, known, relation.bit).length > 0);
    const keys = keysBetween(pool, bits, next.relation.bit);
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

/** Takes the source that its conditions narrow most, among those that fit if there are any. */
function takeBest(sources: Source[], fits: (source: Source) => boolean): Source {
  const fitting = sources.filter(fits);
  const from = fitting.length > 0 ? fitting : sources;
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
  const keys = keysBetween(conditions, bitsOf(from.left), bitsOf(from.right));
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
  return step.type === 'inner'
    ? { ...step, conditions: [...step.conditions, ...conditions] }
    : { ...step, checks: [...(step.checks ?? []), ...conditions] };
}

/** Joins: by a hash of the equal columns, else every row of one side with every row of the other. */
import { Refused } from '#actors/kit/refused.ts';
import { limits } from '#config/limits.ts';
import { visibleTo } from '../../rows/access.ts';
import { denied } from '../../rows/failure.ts';
import { rowCount } from '../../rows/count/store.ts';
import type { Equality, Expr } from '../expression/expr.ts';
import { checkKept, eachRow, type Run, type Steps, type Tuple } from '../run.ts';
import type { Value } from '../type.ts';
import { rowKeyOf } from '../value/compare.ts';
import { charsOf } from '../value/text-cost.ts';
import { rowsAround } from './around.ts';
import { modelOf, requestOf, scan, type Narrowing, type Source } from './scan.ts';
import type { Relation } from './relation.ts';

export type JoinType = 'inner' | 'left' | 'right' | 'full';

export interface Join {
  readonly kind: 'join';
  readonly type: JoinType;
  readonly left: Step;
  readonly right: Step;
  /** `left` reads the left side, `right` the right one. */
  readonly keys: readonly Equality[];
  readonly conditions: readonly Expr[];
  /** Conditions that joined rows must meet: those of WHERE above an outer join. */
  readonly checks?: readonly Expr[];
}

export type Step = Source | Join;

/** The relations whose rows a step joins. */
export function relationsOf(step: Step): Relation[] {
  return step.kind === 'source' ? [step.relation] : [...relationsOf(step.left), ...relationsOf(step.right)];
}

/** The rows of a step as tuples. */
export function* joined(run: Run, step: Step, width: number, narrowing: Narrowing = {}): Steps<Tuple[]> {
  if (step.kind === 'source') return yield* scan(run, step, width, narrowing);
  const left = yield* joined(run, step.left, width);
  const drives = step.type === 'inner' || step.type === 'left';
  if (left.length === 0 && drives) return checkedReadable(run, step.right);
  if (step.right.kind === 'source' && step.right.relation.lateral !== null) {
    const tuples = yield* lateralJoined(run, step, step.right, left);
    return step.checks === undefined ? tuples : yield* passing(run, tuples, step.checks);
  }
  const lookup = drives ? lookupOf(run, step, left) : undefined;
  const right = yield* joined(run, step.right, width, lookup === undefined ? {} : { lookup });
  const tuples = yield* matched(run, step, left, right);
  const { checks } = step;
  return checks === undefined ? tuples : yield* passing(run, tuples, checks);
}

/** The tuples that meet all conditions. */
export function* passing(run: Run, tuples: readonly Tuple[], conditions: readonly Expr[]): Steps<Tuple[]> {
  const passed: Tuple[] = [];
  yield* eachRow(run, tuples, (tuple) => {
    if (conditions.every((condition) => condition.evaluate(tuple, run) === true)) passed.push(tuple);
  });
  return passed;
}

/** Gives no row, after a check that the caller may read every table: otherwise the answer would depend on which rows exist. */
function checkedReadable(run: Run, step: Step): Tuple[] {
  for (const { table } of relationsOf(step)) {
    if (table === null) continue;
    const model = modelOf(run, table.name);
    if (visibleTo(run.session, model, requestOf(run, table.name)) === 'none')
      throw new Refused(denied('read', table.name));
  }
  return [];
}

/** The values by which the right side can be looked up in an index, where that is cheaper than reading it. */
function lookupOf(run: Run, { right, keys }: Join, left: readonly Tuple[]): Narrowing['lookup'] {
  if (right.kind !== 'source' || right.relation.table === null || left.length > limits.sql.lookupsMax) return undefined;
  const model = modelOf(run, right.relation.table.name);
  for (const key of keys) {
    const name = key.right.column?.name;
    const indexed = name === model.key.name || model.indexes.some(({ names }) => names[0] === name);
    if (name === undefined || !indexed || key.right.type === 'numeric') continue;
    const values = [...new Set(left.map((tuple) => key.left.evaluate(tuple, run)))].filter((value) => value !== null);
    const { live } = rowCount(run.session.turn(), model.table);
    return values.length * 2 < live ? { column: name, values } : undefined;
  }
  return undefined;
}

/** The rows of one side by their keys; a null matches nothing. */
class Buckets {
  readonly #buckets = new Map<unknown, Tuple[]>();
  readonly #exprs: readonly Expr[];
  readonly #keyOf: (values: readonly Value[]) => unknown;

  constructor(exprs: readonly Expr[]) {
    this.#exprs = exprs;
    this.#keyOf = rowKeyOf(exprs.map(({ type }) => type));
  }

  key(exprs: readonly Expr[], tuple: Tuple, run: Run): unknown {
    const values = exprs.map((expr) => expr.evaluate(tuple, run));
    return values.includes(null) ? undefined : this.#keyOf(values);
  }

  add(tuple: Tuple, run: Run): void {
    const key = this.key(this.#exprs, tuple, run);
    if (key === undefined) return;
    const bucket = this.#buckets.get(key);
    if (bucket !== undefined) bucket.push(tuple);
    else {
      run.keep(charsOf(key));
      this.#buckets.set(key, [tuple]);
    }
  }

  at(key: unknown): readonly Tuple[] {
    return key === undefined ? NONE : (this.#buckets.get(key) ?? NONE);
  }
}

const NONE: readonly Tuple[] = [];

/** Pairs between two checks of the clock. */
const PAIRS = limits.sql.strideRows * limits.sql.pairsPerRow;

function* matched(run: Run, step: Join, left: readonly Tuple[], right: readonly Tuple[]): Steps<Tuple[]> {
  const { type, keys, conditions } = step;
  const leftKeys = keys.map((key) => key.left);
  const buckets = new Buckets(keys.map((key) => key.right));
  if (keys.length > 0) yield* eachRow(run, right, (tuple) => buckets.add(tuple, run));
  const merge = merging(relationsOf(step.right));
  const used = type === 'right' || type === 'full' ? new Set<Tuple>() : null;
  const out: Tuple[] = [];
  let pairs = 0;
  for (const one of left) {
    const candidates = keys.length === 0 ? right : buckets.at(buckets.key(leftKeys, one, run));
    const before = out.length;
    for (const other of candidates) {
      if (run.pace.isSpent || (++pairs % PAIRS === 0 && run.spendPairs(PAIRS))) yield;
      const both = merge(one, other);
      if (!conditions.every((condition) => condition.evaluate(both, run) === true)) continue;
      out.push(both);
      used?.add(other);
    }
    if (out.length === before && (type === 'left' || type === 'full')) out.push(one);
    checkKept(out.length);
    if (run.spend(1)) yield;
  }
  if (used !== null) out.push(...right.filter((tuple) => !used.has(tuple)));
  checkKept(out.length);
  return out;
}

/** The rows of the right side for each row of the left one, which they read. */
function* lateralJoined(run: Run, step: Join, source: Source, left: readonly Tuple[]): Steps<Tuple[]> {
  const { relation, conditions: own } = source;
  const conditions = [...own, ...step.conditions];
  const places = relation.needs.map(
    ({ name, slot }) => [relation.columns.findIndex((one) => one.name === name), slot] as const,
  );
  const { depth } = relation.lateral!;
  const out: Tuple[] = [];
  for (const one of left) {
    run.outers[depth] = one;
    const rows = yield* rowsAround(run, relation.plan!);
    const before = out.length;
    yield* eachRow(run, rows, (row) => {
      const both = one.slice();
      for (const [at, slot] of places) both[slot] = row[at];
      run.hold(row);
      if (conditions.every((condition) => condition.evaluate(both, run) === true)) out.push(both);
      checkKept(out.length);
    });
    if (out.length === before && step.type === 'left') out.push(one);
    if (run.spend(1)) yield;
  }
  checkKept(out.length);
  return out;
}

function merging(relations: readonly Relation[]): (one: Tuple, other: Tuple) => Tuple {
  const slots = relations.flatMap(({ needs }) => needs.map(({ slot }) => slot));
  return (one, other) => {
    const both = one.slice();
    for (const slot of slots) both[slot] = other[slot];
    return both;
  };
}

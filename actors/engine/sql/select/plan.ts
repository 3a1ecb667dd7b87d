/** Runs one select: finds its rows, groups them, sorts them, computes its columns. */
import { burn } from '#actors/kit/pace/fuel.ts';
import type { Expr } from '../expression/expr.ts';
import type { Aggregate } from '../expression/grouping.ts';
import type { Window } from '../expression/windows.ts';
import { SqlFault } from '../fault.ts';
import { checkKept, eachRow, type Run, type Steps, type Tuple } from '../run.ts';
import type { Value } from '../type.ts';
import { keyOf, rowKeyOf } from '../value/compare.ts';
import { charsOf } from '../value/text-cost.ts';
import type { Base } from './from.ts';
import { Grouping, type Groups } from './group.ts';
import { joined, passing } from './join.ts';
import type { Level } from './level.ts';
import { firstRows } from './order-push.ts';
import { NO_TUPLE, type Origins, type Output, type Plan, type Relation } from './relation.ts';
import { countRows, eachPage, isExact, isLarge, type Source } from './scan.ts';
import { sorted, type Keyed, type OrderItem } from './sort.ts';
import { windowed } from './window.ts';

/** The price of a row includes this many columns; a statement may name thousands, and more columns burn more fuel. */
const NARROW_TARGETS = 64;
const TARGETS_PER_UNIT = 2;

export interface SelectParts {
  readonly level: Level;
  readonly base: Base;
  readonly groups: Groups | null;
  readonly having: readonly Expr[];
  readonly targets: readonly Expr[];
  readonly columns: readonly Output[];
  readonly windows: readonly Window[];
  readonly distinct: boolean;
  /** DISTINCT ON: what tells rows apart, of which the first of each kind stays; null for none. */
  readonly distinctOn: readonly Expr[] | null;
  readonly order: readonly OrderItem[];
  readonly limit: Expr | null;
  readonly offset: Expr | null;
}

export class SelectPlan implements Plan {
  readonly columns: readonly Output[];
  readonly outerDepths: ReadonlySet<number>;
  readonly outerReads: Plan['outerReads'];
  readonly #parts: SelectParts;
  /** An equality with an outer row, by which rows of this select are looked up. */
  readonly #looked: { readonly inner: Expr; readonly outer: Expr; readonly expr: Expr } | null;
  /** Whether rows of FROM depend on outer ones: then they are found for each of these. All relations are plans. */
  readonly #further: boolean;
  /** Keys in `Run.kept` of the tuples that do not depend on outer rows, and of their buckets. */
  readonly #found = {};
  readonly #buckets = {};

  constructor(parts: SelectParts) {
    this.#parts = parts;
    this.columns = parts.columns;
    this.outerDepths = parts.level.outerDepths;
    this.outerReads = parts.level.outerReads;
    this.#further = parts.level.relations.some((one) => readsFurther(parts.level, one));
    this.#looked = lookedUp(parts.base.outer);
  }

  /**
   * Columns that are values of a table of its FROM: a condition on one of them, which null does not meet, may be asked of that table before the
   * select is run. It leaves the rows that meet it as they are, since these are all of a group, and no other row decides which of them are given.
   */
  get origins(): Origins {
    const { limit, offset, distinctOn, windows, targets, columns } = this.#parts;
    const isWhole = limit === null && offset === null && distinctOn === null && windows.length === 0;
    return new Map(
      targets.flatMap(({ origin }, i) =>
        isWhole && origin !== undefined && origin.relation.table !== null ? [[columns[i]!.name, origin]] : [],
      ),
    );
  }

  *prepare(run: Run): Steps<void> {
    if (run.kept.has(this.#found)) return;
    const { level, base } = this.#parts;
    for (const plan of level.subqueries) yield* plan.prepare(run);
    if (this.#further) for (const { plan } of level.relations) yield* plan!.prepare(run);
    if (this.#further) run.kept.set(this.#found, []);
    else if (this.outerDepths.size > 0) run.kept.set(this.#found, yield* this.#base(run, base));
    else yield* this.rows(run);
  }

  *rows(run: Run): Steps<Value[][]> {
    const known = run.kept.get(this) as Value[][] | undefined;
    if (known !== undefined) return known;
    if (this.outerDepths.size > 0) return yield* this.#around(run);
    run.kept.set(this.#found, true);
    for (const plan of this.#parts.level.subqueries) yield* plan.prepare(run);
    const rows = (yield* this.#quickly(run)) ?? (yield* this.#finish(run, yield* this.#base(run, this.#parts.base)));
    run.kept.set(this, rows);
    return rows;
  }

  *#base(run: Run, { step, conditions }: Base): Steps<Tuple[]> {
    const { width } = this.#parts.level;
    if (step !== null) return yield* joined(run, step, width);
    const tuple: Tuple = new Array<Value>(width).fill(null);
    return conditions.every((condition) => condition.evaluate(tuple, run) === true) ? [tuple] : [];
  }

  /** The rows for one outer row: those found beforehand, narrowed to the ones that belong to it. */
  *#around(run: Run): Steps<Value[][]> {
    yield* this.prepare(run);
    const { outer } = this.#parts.base;
    const tuples = this.#further
      ? yield* this.#base(run, this.#parts.base)
      : this.#candidates(run, run.kept.get(this.#found) as Tuple[]);
    const rest = this.#further || this.#looked === null ? outer : outer.filter((expr) => expr !== this.#looked!.expr);
    return yield* this.#finish(run, rest.length === 0 ? tuples : yield* passing(run, tuples, rest));
  }

  #candidates(run: Run, all: Tuple[]): Tuple[] {
    if (this.#looked === null) return all;
    const { inner, outer } = this.#looked;
    const key = keyOf(inner.type) ?? ((value: Value) => value);
    let buckets = run.kept.get(this.#buckets) as Map<Value, Tuple[]> | undefined;
    if (buckets === undefined) {
      buckets = Map.groupBy(all, (tuple) => key(inner.evaluate(tuple, run)));
      run.kept.set(this.#buckets, buckets);
    }
    const wanted = outer.evaluate(NO_TUPLE, run);
    return wanted === null ? [] : (buckets.get(key(wanted)) ?? []);
  }

  /** Answers that the engine can give itself: a count of rows, the first rows of a table. Null for any other select. */
  *#quickly(run: Run): Steps<Value[][] | null> {
    const { base, groups, having, distinct, distinctOn, windows, targets, level } = this.#parts;
    const { step } = base;
    if (step?.kind !== 'source' || step.relation.table === null || base.outer.length > 0) return null;
    if (groups === null) {
      const isPlain = !distinct && distinctOn === null && windows.length === 0;
      if (!isPlain || this.#parts.limit === null || !isExact(run, step)) return null;
      const { limit, offset } = this.#window(run);
      const tuples = yield* firstRows(run, step, level.width, this.#parts.order, limit + offset);
      return tuples === null ? null : yield* this.#shown(run, tuples.slice(offset));
    }
    const isCount = groups.aggregates.every(({ arg, filter }) => arg === null && filter === null);
    const isOnlyCount =
      groups.by.length === 0 && having.length === 0 && windows.length === 0 && isCount && level.subqueries.length === 0;
    const total = isOnlyCount ? yield* countRows(run, step) : null;
    if (total === null)
      return groups.aggregates.every(isSmall) && isLarge(run, step) ? yield* this.#summed(run, step, groups) : null;
    const tuple: Tuple = new Array<Value>(level.width).fill(null);
    for (const { slot } of groups.aggregates) tuple[slot] = total;
    return this.#cut(run, [targets.map((target) => target.evaluate(tuple, run))]);
  }

  /** Groups of a table that is too large to be held: each row is added to its group as it comes. */
  *#summed(run: Run, step: Source, groups: Groups): Steps<Value[][]> {
    const { width } = this.#parts.level;
    const grouping = new Grouping(run, groups, width);
    yield* eachPage(run, step, width, (tuples) => grouping.add(tuples));
    return yield* this.#ended(run, yield* grouping.tuples());
  }

  *#finish(run: Run, tuples: Tuple[]): Steps<Value[][]> {
    const { groups, level } = this.#parts;
    if (groups === null) return yield* this.#ended(run, tuples);
    const grouping = new Grouping(run, groups, level.width);
    yield* grouping.add(tuples);
    return yield* this.#ended(run, yield* grouping.tuples());
  }

  /** The steps after grouping: HAVING, ORDER BY, DISTINCT, LIMIT. */
  *#ended(run: Run, tuples: Tuple[]): Steps<Value[][]> {
    const { having, windows, distinct, distinctOn, order, limit, offset } = this.#parts;
    let rows = tuples;
    if (having.length > 0) rows = yield* passing(run, rows, having);
    if (windows.length > 0) yield* windowed(run, rows, windows);
    if (distinct)
      return this.#cut(run, yield* ordered(run, yield* once(run, yield* this.#shown(run, rows), this.columns), order));
    if (order.length > 0) rows = yield* this.#sorted(run, rows);
    if (distinctOn !== null) rows = yield* firstOfEach(run, rows, distinctOn);
    return yield* this.#shown(run, limit === null && offset === null ? rows : this.#cut(run, rows));
  }

  *#sorted(run: Run, tuples: readonly Tuple[]): Steps<Tuple[]> {
    const { order, targets } = this.#parts;
    const exprs = order.map(({ expr, output }) => expr ?? targets[output]!);
    const keyed: Keyed<Tuple>[] = [];
    const made = exprs.flatMap(({ column }, i) => (column === undefined ? i : []));
    yield* eachRow(run, tuples, (row) => {
      const keys = exprs.map((expr) => expr.evaluate(row, run));
      for (const i of made) run.keep(charsOf(keys[i]));
      keyed.push({ keys, row });
    });
    return (yield* sorted(run, keyed, order)).map(({ row }) => row);
  }

  *#shown(run: Run, tuples: readonly Tuple[]): Steps<Value[][]> {
    const { targets } = this.#parts;
    const rows: Value[][] = [];
    const units = targets.length > NARROW_TARGETS ? targets.length / TARGETS_PER_UNIT : 0;
    yield* eachRow(run, tuples, (tuple) => {
      burn(units);
      const row = targets.map((target) => target.evaluate(tuple, run));
      run.hold(row);
      rows.push(row);
    });
    return rows;
  }

  #window(run: Run): { limit: number; offset: number } {
    const { limit, offset } = this.#parts;
    return { limit: countOf(run, limit, 'LIMIT') ?? Infinity, offset: countOf(run, offset, 'OFFSET') ?? 0 };
  }

  #cut<T>(run: Run, rows: T[]): T[] {
    const { limit, offset } = this.#window(run);
    return limit === Infinity && offset === 0 ? rows : rows.slice(offset, offset + limit);
  }
}

/** Whether an aggregate needs the same small space for any number of values. */
function isSmall({ distinct, takesNull, order, second }: Aggregate): boolean {
  return !distinct && !takesNull && order === null && second === null;
}

/** LIMIT and OFFSET as a number; null for none. */
export function countOf(run: Run, expr: Expr | null, name: string): number | null {
  const value = expr === null ? null : expr.evaluate(NO_TUPLE, run);
  if (value === null) return null;
  if (Number(value) < 0) throw new SqlFault(`${name} must not be negative`);
  return Number(value);
}

/** DISTINCT: the first of several equal rows. */
export function* once(run: Run, rows: readonly Value[][], columns: readonly Output[]): Steps<Value[][]> {
  const keyOfRow = rowKeyOf(columns.map(({ type }) => type));
  const seen = new Set<unknown>();
  const kept: Value[][] = [];
  yield* eachRow(run, rows, (row) => {
    const key = keyOfRow(row);
    if (seen.has(key)) return;
    if (columns.length > 1) run.keep(charsOf(key));
    seen.add(key);
    kept.push(row);
  });
  return kept;
}

/** DISTINCT ON: the first tuple of each key. */
function* firstOfEach(run: Run, tuples: readonly Tuple[], by: readonly Expr[]): Steps<Tuple[]> {
  const keyOfRow = rowKeyOf(by.map(({ type }) => type));
  const seen = new Set<unknown>();
  const kept: Tuple[] = [];
  yield* eachRow(run, tuples, (tuple) => {
    const key = keyOfRow(by.map((expr) => expr.evaluate(tuple, run)));
    if (seen.has(key)) return;
    run.keep(charsOf(key));
    seen.add(key);
    kept.push(tuple);
  });
  return kept;
}

/** Sorts finished rows by their own columns. */
export function* ordered(run: Run, rows: Value[][], order: readonly OrderItem[]): Steps<Value[][]> {
  if (order.length === 0) return rows;
  const keyed = rows.map((row) => ({ keys: order.map(({ output }) => row[output]), row }));
  checkKept(rows.length);
  return (yield* sorted(run, keyed, order)).map(({ row }) => row);
}

/** Whether the rows of a relation depend on selects around the one in whose FROM it stands. */
export function readsFurther({ depth }: Level, { plan }: Relation): boolean {
  return plan !== null && [...plan.outerDepths].some((one) => one < depth);
}

function lookedUp(conditions: readonly Expr[]): { inner: Expr; outer: Expr; expr: Expr } | null {
  for (const expr of conditions) {
    if (expr.equality === undefined) continue;
    const { left, right } = expr.equality;
    const isInner = (side: Expr): boolean => !side.outer && side.uses !== 0;
    const isOuter = (side: Expr): boolean => side.outer && side.uses === 0;
    if (isInner(left) && isOuter(right)) return { inner: left, outer: right, expr };
    if (isInner(right) && isOuter(left)) return { inner: right, outer: left, expr };
  }
  return null;
}

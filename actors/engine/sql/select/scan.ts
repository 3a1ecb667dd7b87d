/** Reads one relation: a table through `findRows`, or the rows of a subquery. */
import { isDeepStrictEqual } from 'node:util';
import { limits } from '#config/limits.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { accepted } from '../../rows/failure.ts';
import { describePlan } from '../../rows/access-path.ts';
import type { StoredRow } from '../../rows/codec.ts';
import type { Column, EntityModel } from '../../rows/model.ts';
import { query, type OrderTerm, type Predicate } from '../../rows/query.ts';
import { findRow, findRows, unmaskedFor, type Found } from '../../rows/read.ts';
import type { RequestView } from '../../rows/session.ts';
import { rowCount } from '../../rows/count/store.ts';
import type { Expr, Push } from '../expression/expr.ts';
import { SqlFault } from '../fault.ts';
import { checkKept, eachRow, type Narrowed, type Run, type Steps, type Tuple } from '../run.ts';
import type { Value } from '../type.ts';
import type { Relation } from './relation.ts';

/** One relation with the conditions that read only it. */
export interface Source {
  readonly kind: 'source';
  readonly relation: Relation;
  readonly conditions: readonly Expr[];
  /** Conditions that may also be offered to the planner. */
  readonly pushes: readonly Push[];
}

/** Further bounds of a scan: values of a column that a join looks up, an order, a number of rows. */
export interface Narrowing {
  readonly lookup?: { readonly column: string; readonly values: readonly Value[] };
  readonly order?: readonly OrderTerm[];
  readonly further?: readonly Predicate[];
  readonly limit?: number;
}

/** How a model's rows become tuples; made once for each model. */
interface Binding {
  readonly slots: readonly number[];
  readonly columns: readonly Column[];
  readonly shown: readonly boolean[];
  /** Masked columns that are used in a computation. */
  readonly revealed: readonly string[];
}

const bindings = new WeakMap<EntityModel, WeakMap<Relation, Binding>>();

export function modelOf(run: Run, entity: string): EntityModel {
  const model = run.session.model(entity);
  if (model === undefined) throw new SqlFault(`the entity ${entity} is not provisioned yet`);
  return model;
}

export function requestOf(run: Run, entity: string, operation = 'read'): RequestView {
  return { method: run.method, operation, entity, id: null, data: null };
}

function bindingOf(model: EntityModel, relation: Relation): Binding {
  let known = bindings.get(model);
  if (known === undefined) bindings.set(model, (known = new WeakMap()));
  let binding = known.get(relation);
  if (binding?.slots.length === relation.needs.length) return binding;
  known.set(relation, (binding = bound(model, relation)));
  return binding;
}

function bound(model: EntityModel, { needs }: Relation): Binding {
  const columns = needs.map(({ name }) => {
    const column = model.whole.column(name);
    if (column === undefined) throw new SqlFault(`${model.name}.${name} is not provisioned yet`);
    // A field that the caller does not read is shown as null.
    return model.column(name) === undefined ? { ...column, mask: () => null } : column;
  });
  return {
    slots: needs.map(({ slot }) => slot),
    shown: needs.map(({ shown }) => shown),
    columns,
    revealed: columns.filter(({ mask }, i) => mask !== null && !needs[i]!.shown).map(({ name }) => name),
  };
}

/** Puts a row's values into a tuple. */
export function fill(tuple: Tuple, model: EntityModel, relation: Relation, slots: readonly unknown[]): void {
  const { slots: places, columns, shown } = bindingOf(model, relation);
  for (let i = 0; i < places.length; i++) {
    const { at, mask } = columns[i]!;
    const value = slots[at] ?? null;
    tuple[places[i]!] = mask !== null && shown[i] ? mask(value) : value;
  }
}

/** 403 when a masked column is used in a computation and the caller may not unmask it. */
export function checkMasks(run: Run, model: EntityModel, relation: Relation): void {
  const { revealed } = bindingOf(model, relation);
  if (revealed.length === 0) return;
  const order = revealed.map((field): OrderTerm => ({ kind: 'order', field, descending: false }));
  accepted(unmaskedFor(run.session, model, requestOf(run, model.name), query(model.name, { order })));
}

/** The rows of a relation that meet its conditions, as tuples of `width` slots. */
export function* scan(run: Run, source: Source, width: number, narrowing: Narrowing = {}): Steps<Tuple[]> {
  const { relation } = source;
  if (relation.plan !== null) return yield* planRows(run, source, width);
  const model = modelOf(run, relation.table!.name);
  checkMasks(run, model, relation);
  const rows = yield* tableRows(run, source, model, narrowing);
  return yield* rowTuples(run, source, width, model, rows);
}

function rowTuples(
  run: Run,
  source: Source,
  width: number,
  model: EntityModel,
  rows: readonly StoredRow[],
): Steps<Tuple[]> {
  return tuplesOf(run, source, width, rows, (tuple, { slots }) => fill(tuple, model, source.relation, slots));
}

/**
 * Visits the rows of a table that meet the conditions, in pages by their keys, for aggregates that keep no row. Their number is bounded
 * only by the rows that a statement may look at.
 */
export function* eachPage(
  run: Run,
  source: Source,
  width: number,
  take: (tuples: readonly Tuple[]) => Steps<void>,
): Steps<void> {
  const model = modelOf(run, source.relation.table!.name);
  checkMasks(run, model, source.relation);
  const { where } = predicatesOf(run, source, model);
  const key = model.key;
  const order: OrderTerm[] = [{ kind: 'order', field: key.name, descending: false }];
  const limit = limits.sql.pageRows;
  let rest: readonly Predicate[] = [];
  for (;;) {
    const page = [...where, ...rest];
    const before = run.held;
    const rows = yield* foundRows(run, model, page, { order, limit });
    const tuples = yield* rowTuples(run, source, width, model, rows);
    const held = run.held - before;
    yield* take(tuples);
    // The visitor has counted what it keeps of the page.
    run.keep(-held);
    if (rows.length < limit) return;
    rest = [{ kind: 'predicate', field: key.name, op: 'gt', value: rows.at(-1)!.slots[key.at] }];
  }
}

/** Whether a table holds more rows than a step may keep. */
export function isLarge(run: Run, { relation }: Source): boolean {
  return rowCount(run.session.turn(), modelOf(run, relation.table!.name).table).live > limits.sql.rowsKeptMax;
}

function* planRows(run: Run, source: Source, width: number): Steps<Tuple[]> {
  const { relation } = source;
  const rows = yield* relation.plan!.rows(run);
  const places = relation.needs.map(({ name }) => relation.columns.findIndex((column) => column.name === name));
  return yield* tuplesOf(run, source, width, rows, (tuple, row) => {
    for (let i = 0; i < places.length; i++) tuple[relation.needs[i]!.slot] = row[places[i]!];
  });
}

function* tuplesOf<T>(
  run: Run,
  { conditions }: Source,
  width: number,
  rows: readonly T[],
  fillFrom: (tuple: Tuple, row: T) => void,
): Steps<Tuple[]> {
  const tuples: Tuple[] = [];
  yield* eachRow(run, rows, (row) => {
    const tuple: Tuple = new Array<Value>(width).fill(null);
    fillFrom(tuple, row);
    run.hold(tuple);
    if (conditions.every((condition) => condition.evaluate(tuple, run) === true)) tuples.push(tuple);
  });
  return tuples;
}

function* tableRows(run: Run, source: Source, model: EntityModel, narrowing: Narrowing): Steps<readonly StoredRow[]> {
  const { where } = predicatesOf(run, source, model);
  if (narrowing.further !== undefined) where.push(...narrowing.further);
  const { lookup } = narrowing;
  if (lookup === undefined) return yield* foundRows(run, model, where, narrowing);
  const size = lookup.column === model.key.name ? limits.sql.lookupsMax : limits.data.planRangesMax;
  const rows: StoredRow[] = [];
  for (let from = 0; from < lookup.values.length; from += size) {
    const values = lookup.values.slice(from, from + size);
    const looked: Predicate = { kind: 'predicate', field: lookup.column, op: 'in', value: values };
    rows.push(...(yield* foundRows(run, model, [...where, looked], narrowing)));
    checkKept(rows.length);
  }
  return rows;
}

function* foundRows(
  run: Run,
  model: EntityModel,
  where: readonly Predicate[],
  { order = [], limit = Infinity }: Narrowing,
): Steps<readonly StoredRow[]> {
  const request = requestOf(run, model.name);
  const [only] = where;
  if (where.length === 1 && only!.field === model.key.name && only!.op === 'eq') {
    const row = accepted(findRow(run.session, model, request, model.idOf(only!.value)));
    run.looks?.note(model.name, BY_KEY, 1, row === undefined ? 0 : 1);
    return row === undefined ? [] : [row];
  }
  const most = Math.min(limit, limits.sql.rowsKeptMax + 1);
  const found = findRows(run.session, model, request, () => query(model.name, { where, order, limit: most }));
  const given = accepted((found instanceof Promise ? yield found : found) as Found);
  note(run, model, given);
  const { rows } = given;
  if (limit > rows.length) checkKept(rows.length);
  return rows;
}

/** The number of rows that meet the conditions; null where not all conditions can be offered to the planner. */
export function* countRows(run: Run, source: Source): Steps<number | null> {
  const model = modelOf(run, source.relation.table!.name);
  checkMasks(run, model, source.relation);
  const { where, exact } = predicatesOf(run, source, model);
  if (!exact) return null;
  const asked = query(model.name, { where, limit: 0, counted: true });
  const found = findRows(run.session, model, requestOf(run, model.name), () => asked);
  const given = accepted((found instanceof Promise ? yield found : found) as Found);
  note(run, model, given);
  return given.total;
}

const BY_KEY = { access: 'key', sorted: false } as const;

/** A count from the stored counters looks at no row. */
function note({ looks }: Run, model: EntityModel, { plan, looked, rows }: Found): void {
  looks?.note(
    model.name,
    describePlan(plan, (field) => model.column(field) !== undefined),
    looked,
    rows.length,
  );
}

/** Whether the planner takes all conditions of a source, so that its rows need no further check. */
export function isExact(run: Run, source: Source): boolean {
  return predicatesOf(run, source, modelOf(run, source.relation.table!.name)).exact;
}

function predicatesOf(
  run: Run,
  { relation, pushes, conditions }: Source,
  model: EntityModel,
): { where: Predicate[]; exact: boolean } {
  const where: Predicate[] = [];
  let exact = conditions.every(({ push }) => push !== undefined);
  for (const push of pushes) {
    const predicate = predicateOf(run, push, model);
    if (predicate === null) exact = false;
    else where.push(predicate);
  }
  if (run.narrowed !== null) where.push(...narrowedBy(run.narrowed, relation, model));
  return { where, exact };
}

/** Of a column that the caller does not see as it is stored the statement gives another value than the one that would be compared here. */
function narrowedBy(narrowed: Narrowed, relation: Relation, model: EntityModel): readonly Predicate[] {
  return (narrowed.get(relation) ?? []).filter(({ field }) => model.column(field)?.mask === null);
}

const NOTHING = { op: 'in', value: [] } as const;

/** A condition with its value as the field stores it; null where the field cannot store that value: then only the check of each row decides. */
function predicateOf(run: Run, { column: field, op, value: valueOf }: Push, model: EntityModel): Predicate | null {
  const column = model.column(field);
  const value = valueOf(run);
  if (column === undefined || value === undefined) return null;
  const base = { kind: 'predicate', field } as const;
  if (op === 'null') return { ...base, op, value };
  if (column.compare === null) return null;
  if (value === null) return { ...base, ...NOTHING };
  if (op === 'like' || op === 'ilike') return { ...base, op, value };
  const { of } = FIELD_TYPES[column.type];
  const storable = (one: Value): boolean => isDeepStrictEqual(of(one), one);
  if (op === 'in') return { ...base, op, value: (value as readonly Value[]).filter(storable) };
  if (op === 'eq' && !storable(value)) return { ...base, ...NOTHING };
  if (op === 'between') return (value as readonly Value[]).every(storable) ? { ...base, op, value } : null;
  return storable(value) ? { ...base, op, value } : null;
}

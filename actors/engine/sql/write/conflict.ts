/** ON CONFLICT: what is done when another row has the key or unique columns of a new one. */
import type { InferClause, OnConflictClause } from 'libpg-query';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { withDefaultsFrom } from '../../rows/default-from.ts';
import { accepted, type Failure } from '../../rows/failure.ts';
import type { StoredRow } from '../../rows/codec.ts';
import type { EntityModel } from '../../rows/model.ts';
import { equals, query } from '../../rows/query.ts';
import { findRows, type Found } from '../../rows/read.ts';
import { updateRow } from '../../rows/update.ts';
import type { Written } from '../../rows/write.ts';
import type { Ctes, StatementContext } from '../context.ts';
import { placeOf } from '../expression/expression.ts';
import type { Expr } from '../expression/expr.ts';
import { SqlFault } from '../fault.ts';
import type { Run, Steps, Tuple } from '../run.ts';
import type { SqlTable } from '../schema.ts';
import { addRelation, conjunctsOf } from '../select/from.ts';
import { Level } from '../select/level.ts';
import type { Relation } from '../select/relation.ts';
import { checkMasks, fill, modelOf, requestOf } from '../select/scan.ts';
import type { Value } from '../type.ts';
import { assignmentsOf, inputOf, type Assignment } from './assign.ts';
import { requestAs } from './work.ts';

type Input = Readonly<Record<string, unknown>>;

export interface Conflict {
  prepare(run: Run): Steps<void>;
  /** Handles a conflict: undefined when there is none and the row can be created; null when the row is skipped; else the update. */
  settle(run: Run, model: EntityModel, input: Input, touched: Set<Value>): Steps<Written | Failure | null | undefined>;
}

interface Change {
  readonly level: Level;
  readonly target: Relation;
  readonly excluded: Relation;
  readonly assignments: readonly Assignment[];
  readonly where: readonly Expr[];
}

export function conflictOf(
  statement: StatementContext,
  table: SqlTable,
  alias: string,
  ctes: Ctes,
  clause: OnConflictClause | undefined,
): Conflict | null {
  if (clause === undefined) return null;
  const arbiters = arbitersOf(statement, table, clause);
  const change = clause.action === 'ONCONFLICT_UPDATE' ? changeOf(statement, table, alias, ctes, clause) : null;
  return {
    *prepare(run) {
      if (change === null) return;
      for (const plan of change.level.subqueries) yield* plan.prepare(run);
      checkMasks(run, modelOf(run, table.name), change.target);
    },
    *settle(run, model, input, touched) {
      const row = yield* rowInTheWay(run, model, arbiters, input);
      if (row === undefined) return undefined;
      return change === null ? null : changed(run, model, change, row, input, touched);
    },
  };
}

/** The unique columns that the clause names; all sets where it names none. */
function arbitersOf(statement: StatementContext, table: SqlTable, clause: OnConflictClause): (readonly string[])[] {
  const { infer } = clause;
  if (infer === undefined) {
    if (clause.action === 'ONCONFLICT_UPDATE')
      statement.fault(clause, 'DO UPDATE needs the columns that conflict', 'write on conflict (id) do update');
    return [...table.unique];
  }
  const names = inferred(statement, infer);
  const unique = table.unique.find((one) => one.length === names.length && names.every((name) => one.includes(name)));
  const known = table.unique.map((one) => `(${one.join(', ')})`).join(', ');
  if (unique === undefined)
    return statement.fault(clause, `(${names.join(', ')}) is not unique in ${table.name}`, `use one of ${known}`);
  return [unique];
}

function inferred(statement: StatementContext, infer: InferClause): string[] {
  statement.only(infer, ['indexElems']);
  return (infer.indexElems ?? []).map((element) => {
    if (!('IndexElem' in element)) return '';
    statement.only(element.IndexElem, ['name', 'ordering', 'nulls_ordering']);
    return element.IndexElem.name ?? statement.unsupported(element, 'a conflict over an expression', 'name columns');
  });
}

function changeOf(
  statement: StatementContext,
  table: SqlTable,
  alias: string,
  ctes: Ctes,
  clause: OnConflictClause,
): Change {
  const level = new Level(null);
  const target = addRelation(statement, level, clause, alias, table);
  const excluded = addRelation(statement, level, clause, 'excluded', table);
  const place = placeOf(statement, level, ctes, 'ON CONFLICT');
  const assignments = assignmentsOf(place, table, clause.targetList ?? []);
  const where = conjunctsOf(place, clause.whereClause, 'WHERE');
  return { level, target, excluded, assignments, where };
}

/** The row that has the same key or unique columns. A row that the caller may not see is not found: the create then fails. */
function* rowInTheWay(
  run: Run,
  model: EntityModel,
  arbiters: readonly (readonly string[])[],
  input: Input,
): Steps<StoredRow | undefined> {
  const filled = withDefaultsFrom(run.session, model, input);
  for (const names of arbiters) {
    const values = names.map((name) => storedValue(model, name, filled));
    if (values.includes(null) || values.includes(undefined)) continue;
    const where = names.map((name, i) => equals(name, values[i]));
    const found = findRows(run.session, model, requestOf(run, model.name), () =>
      query(model.name, { where, limit: 1 }),
    );
    const { rows } = accepted((found instanceof Promise ? yield found : found) as Found);
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}

/** The value that the new row will hold: the default of a column that is left out. */
function storedValue(model: EntityModel, name: string, input: Input): unknown {
  const value = Object.hasOwn(input, name) ? input[name] : (model.definition.fields[name]?.default ?? null);
  return value === null ? null : FIELD_TYPES[model.whole.column(name)!.type].of(value);
}

function changed(
  run: Run,
  model: EntityModel,
  change: Change,
  row: StoredRow,
  input: Input,
  touched: Set<Value>,
): Written | Failure | null {
  const { level, target, excluded, assignments, where } = change;
  const id = row.slots[model.key.at];
  if (touched.has(id)) throw new SqlFault('ON CONFLICT DO UPDATE cannot change a row a second time');
  const tuple: Tuple = new Array<Value>(level.width).fill(null);
  fill(tuple, model, target, row.slots);
  for (const { name, slot } of excluded.needs) tuple[slot] = storedValue(model, name, input) ?? null;
  if (!where.every((condition) => condition.evaluate(tuple, run) === true)) return null;
  touched.add(id);
  const fields = inputOf(run, tuple, assignments);
  return updateRow(run.session, model, id, fields, requestAs(run, 'update', model.name, id, fields));
}

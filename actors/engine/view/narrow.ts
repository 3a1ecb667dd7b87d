/** Which conditions on a view's columns the tables of its statement are asked for at once. All are checked on its rows again. */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { EntityModel } from '../rows/model.ts';
import type { Predicate, Query } from '../rows/query.ts';
import type { CompiledSql } from '../sql/compiled.ts';
import type { Narrowed } from '../sql/run.ts';
import type { Relation } from '../sql/select/relation.ts';
import type { StoredType } from '../schema/stored.ts';

/** Conditions that no null meets: a row that an outer join leaves out, or fills with nulls instead, is none that meets them. */
const OPERATORS: ReadonlySet<Predicate['op']> = new Set([
  'eq',
  'in',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'like',
  'ilike',
]);

/** The conditions, by relations of the statement, on columns that it takes over from a table as they are stored. Null for none. */
export function narrowedBy({ statement }: CompiledSql, model: EntityModel, { where }: Query): Narrowed | null {
  const { origins } = statement;
  if (where.length === 0 || origins === undefined || origins.size === 0) return null;
  const narrowed = new Map<Relation, Predicate[]>();
  for (const predicate of where) {
    const origin = predicate.at === undefined && OPERATORS.has(predicate.op) ? origins.get(predicate.field) : undefined;
    if (origin === undefined) continue;
    const { relation, name } = origin;
    const stored = relation.table!.columns.find((one) => one.name === name)!.type;
    if (!comparesAlike(stored, model.column(predicate.field)!.type)) continue;
    const own = narrowed.get(relation) ?? [];
    own.push({ ...predicate, field: name });
    narrowed.set(relation, own);
  }
  return narrowed.size === 0 ? null : narrowed;
}

/** Whether values of two types have one form and one order, as a text and one of a list of texts: others would be compared in another way. */
function comparesAlike(one: StoredType, other: StoredType): boolean {
  const [a, b] = [FIELD_TYPES[one], FIELD_TYPES[other]];
  return one === other || (a.of === b.of && a.order === b.order && a.key === b.key);
}

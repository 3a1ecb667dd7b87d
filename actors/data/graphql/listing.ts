/**
 * The seam to the query value: what the arguments of a connection mean. Filters are those of a search body,
 * `{field: {op: value}}`, AND-ed; every operator of the query value is offered.
 */
import { FIELD_TYPES } from '#actors/kit/field-type.ts';
import { limits } from '#config/limits.ts';
import { failure, isFailure } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import type { Column, EntityModel } from '../entity/model.ts';
import { equals, query } from '../entity/query.ts';
import type { OrderTerm, Predicate, Query } from '../entity/query.ts';

export type Operator = Predicate['op'];
/** What an operator compares with: one value, a list of them, a pattern, true or false. */
export type Operand = 'value' | 'list' | 'pattern' | 'truth';

export const OPERATORS: Readonly<Record<Operator, Operand>> = { eq: 'value' };

export interface ListingArgs {
  readonly filter?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;
  readonly order?: readonly OrderTerm[] | null;
  readonly first: number;
  readonly offset: number;
  readonly deleted?: boolean | null;
}

/** The query of a connection, one row longer than its page, so that it shows whether more follow. 422 names what does not fit. */
export function queryOf(model: EntityModel, args: ListingArgs, fixed: readonly Predicate[]): Query | Failure {
  const { first, offset } = args;
  const most = limits.graphql.firstMax;
  if (first < 0 || first > most) return failure(422, `first may be 0 to ${most}`, { parameter: 'first', most });
  if (offset < 0) return failure(422, 'offset may not be negative', { parameter: 'offset' });
  const where = filterOf(model, args.filter ?? {});
  if (isFailure(where)) return where;
  const predicates = [...fixed, ...where];
  if (predicates.length > limits.data.filterPredicatesMax)
    return failure(422, `at most ${limits.data.filterPredicatesMax} predicates`, { predicates: predicates.length });
  const order = (args.order ?? []).filter((term, i, all) => all.findIndex(({ field }) => field === term.field) === i);
  return query(model.name, { where: predicates, order, limit: first + 1, offset, deleted: args.deleted === true });
}

/** The same, to count every match and show none. */
export function countOf(asked: Query): Query {
  return query(asked.entity, { where: asked.where, deleted: asked.deleted, limit: 0, counted: true });
}

function filterOf(model: EntityModel, filter: NonNullable<ListingArgs['filter']>): Predicate[] | Failure {
  const where: Predicate[] = [];
  for (const [field, comparisons] of Object.entries(filter)) {
    for (const [op, value] of Object.entries(comparisons ?? {})) {
      const predicate = predicateOf(model.column(field)!, op as Operator, value);
      if (isFailure(predicate)) return predicate;
      where.push(predicate);
    }
  }
  return where;
}

function predicateOf(column: Column, op: Operator, value: unknown): Predicate | Failure {
  const { of, expected } = FIELD_TYPES[column.type];
  const stored = value === null ? undefined : of(value);
  if (op === 'eq' && stored !== undefined) return equals(column.name, stored);
  return failure(422, `${column.name} must be ${expected}`, { fields: { [column.name]: [`must be ${expected}`] } });
}

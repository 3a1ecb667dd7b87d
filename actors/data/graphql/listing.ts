/**
 * From the arguments of a connection to the engine's query value. Filters are those of a search body, `{field: {op: value}}`, AND-ed, with groups
 * OR, AND and NOT, and filters of the rows that relations lead to; every operator of the query value is offered.
 */
import { limits } from '#config/limits.ts';
import { placeOf } from '#actors/engine/rows/cursor/cursor.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import { GRAPHQL_FORM, parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { FarColumns } from '#actors/engine/rows/path/columns.ts';
import { query, reversed } from '#actors/engine/rows/query.ts';
import { termsOfSort, type Sort } from './sort.ts';
import type { Operator, OrderTerm, Predicate, Query } from '#actors/engine/rows/query.ts';
import type { Session } from '#actors/engine/rows/session.ts';

/** What an operator compares with: one value, a list of them, a pattern, true or false. */
export type Operand = 'value' | 'list' | 'pattern' | 'truth';

export const OPERATORS: Readonly<Record<Operator, Operand>> = {
  eq: 'value',
  ne: 'value',
  gt: 'value',
  gte: 'value',
  lt: 'value',
  lte: 'value',
  in: 'list',
  nin: 'list',
  like: 'pattern',
  ilike: 'pattern',
  null: 'truth',
  between: 'list',
};

/** Comparisons by field, and groups of filters. */
type Filter = Readonly<Record<string, unknown>>;

export interface ListingArgs {
  readonly filter?: Filter | null;
  readonly order?: readonly OrderTerm[] | null;
  readonly sort?: readonly Sort[] | null;
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly offset?: number | null;
  readonly deleted?: boolean | null;
}

/** A page as it is asked for: `backward` when it ends at a place, or at the end. */
export interface Listing {
  readonly query: Query;
  /** The order in which rows are shown, and cursors are made. */
  readonly order: readonly OrderTerm[];
  readonly backward: boolean;
  /** Whether the engine gives the rows in the opposite order. */
  readonly turned: boolean;
}

/** The query of a connection; cursors are read in `session`. 422 names the argument that does not fit. */
export function listingOf(
  session: Session,
  asker: Asker,
  model: EntityModel,
  args: ListingArgs,
  firstDefault: number,
  fixed: readonly Predicate[],
): Listing | Failure {
  const wrong = misfit(args);
  if (wrong !== null) return wrong;
  const filter = parseFilter(model, args.filter ?? {}, asker, GRAPHQL_FORM);
  if (isFailure(filter)) return filter;
  const far = new FarColumns(model, asker);
  const terms = args.sort == null ? (args.order ?? []) : termsOfSort(model, args.sort, far, asker);
  if (isFailure(terms)) return terms;
  const order = terms.filter((term, i, all) => all.findIndex(({ field }) => field === term.field) === i);
  const backward = args.last != null;
  const cursor = backward ? args.before : args.after;
  const place = cursor == null ? null : placeOf(session, model, order, backward ? 'before' : 'after', cursor);
  if (isFailure(place)) return place;
  const asked = query(model.name, {
    where: [...fixed, ...filter.where],
    any: filter.any,
    order,
    limit: args.last ?? args.first ?? firstDefault,
    offset: args.offset ?? 0,
    deleted: args.deleted === true,
    ...(backward ? { before: place } : { after: place }),
    peek: true,
    far: far.all,
  });
  // The last rows of all are the first ones from the other end.
  const turned = backward && place === null;
  return { query: turned ? reversed(asked, model.key.name) : asked, order, backward, turned };
}

/** The query that counts every match and gives no row. */
export function countOf({ entity, where, any, deleted }: Query): Query {
  return query(entity, { where, any, deleted, limit: 0, counted: true });
}

/** Pages forward by `first` and `after`, or backward by `last` and `before` (Relay "Pagination algorithm"). */
function misfit({ first, after, last, before, offset, order, sort }: ListingArgs): Failure | null {
  if (order != null && sort != null) return failure(422, 'sort does not go with order', { parameter: 'sort' });
  const most = limits.graphql.firstMax;
  for (const [parameter, count] of [
    ['first', first],
    ['last', last],
  ] as const)
    if (count != null && (count < 0 || count > most))
      return failure(422, `${parameter} may be 0 to ${most}`, { parameter, most });
  if (first != null && last != null) return failure(422, 'first does not go with last', { parameter: 'last' });
  if (last != null && after != null) return failure(422, 'after goes with first', { parameter: 'after' });
  if (last == null && before != null) return failure(422, 'before goes with last', { parameter: 'before' });
  if (offset != null && offset < 0) return failure(422, 'offset may not be negative', { parameter: 'offset' });
  const isPlaced = after != null || before != null || last != null;
  return offset != null && offset > 0 && isPlaced
    ? failure(422, 'offset goes with first alone', { parameter: 'offset' })
    : null;
}

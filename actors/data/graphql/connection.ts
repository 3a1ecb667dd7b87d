/** Connections: a page of rows of a query, its edges and its total (Relay "GraphQL Cursor Connections Specification"). */
import type { Row } from '../entity/codec.ts';
import { isFailure } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import type { EntityModel } from '../entity/model.ts';
import type { Predicate, Query } from '../entity/query.ts';
import { findRows } from '../entity/read.ts';
import type { Found } from '../entity/read.ts';
import { requestAs } from './context.ts';
import type { Context } from './context.ts';
import { queryError } from './errors.ts';
import { countOf, queryOf } from './listing.ts';
import type { ListingArgs } from './listing.ts';

/** What a page costs before its first row, and each row beside its values. */
export const PAGE_COST = 10;
export const ROW_COST = 5;

export interface Connection {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean };
  readonly model: EntityModel;
  readonly query: Query;
  /** Known without counting, or null. */
  readonly total: number | null;
}

/** The page that the arguments ask for; `fixed` are predicates of the place where the connection stands. */
export function connect(
  context: Context,
  model: EntityModel,
  args: ListingArgs,
  fixed: readonly Predicate[],
): Connection | Promise<Connection> {
  const asked = queryOf(model, args, fixed);
  if (isFailure(asked)) throw queryError(asked);
  const paged = (found: Found | Failure): Connection => page(context, model, asked, args.first, found);
  return context.slices.run(PAGE_COST, () => {
    const found = findRows(context.session, model, requestAs('read', model, null, null), () => asked);
    return found instanceof Promise ? found.then(paged) : paged(found);
  });
}

function page(context: Context, model: EntityModel, query: Query, first: number, found: Found | Failure): Connection {
  if (isFailure(found)) throw queryError(found);
  const nodes = found.rows.slice(0, first).map((row) => model.shape(row.slots));
  context.slices.charge(nodes.length * (ROW_COST + model.columns.length));
  return { nodes, pageInfo: { hasNextPage: found.rows.length > first }, model, query, total: found.total };
}

/** All matches, counted only for those who ask. */
export function totalOf(context: Context, { model, query, total }: Connection): number | Promise<number> {
  if (total !== null) return total;
  const counted = (found: Found | Failure): number => {
    if (isFailure(found)) throw queryError(found);
    return found.total!;
  };
  return context.slices.run(PAGE_COST, () => {
    const found = findRows(context.session, model, requestAs('read', model, null, null), () => countOf(query));
    return found instanceof Promise ? found.then(counted) : counted(found);
  });
}

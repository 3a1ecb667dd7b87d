/** Connections: a page of rows of a query, its edges and its total (Relay "GraphQL Cursor Connections Specification"). */
import type { Row, StoredRow } from '#actors/engine/rows/codec.ts';
import { cursorOf } from '#actors/engine/rows/cursor/cursor.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Predicate } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { requestAs, type Context } from './context.ts';
import { queryError } from './errors.ts';
import { countOf, listingOf, type Listing, type ListingArgs } from './listing.ts';

/** What a page costs before its first row, and each row beside its values. */
export const PAGE_COST = 10;
export const ROW_COST = 5;

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly connection: Connection;
}

export interface Connection {
  readonly nodes: readonly Row[];
  readonly rows: readonly StoredRow[];
  readonly more: boolean;
  readonly model: EntityModel;
  readonly listing: Listing;
  /** Known without counting, or null. */
  readonly total: number | null;
}

export interface Edge {
  readonly node: Row;
  readonly at: number;
  readonly connection: Connection;
}

/** The page that the arguments ask for; `fixed` are the predicates of the field itself, such as the row that it belongs to. */
export function connect(
  context: Context,
  model: EntityModel,
  args: ListingArgs,
  firstDefault: number,
  fixed: readonly Predicate[],
): Connection | Promise<Connection> {
  const request = requestAs('read', model, null, null);
  const asker = { session: context.session, request };
  const listing = listingOf(context.live, asker, model, args, firstDefault, fixed);
  if (isFailure(listing)) throw queryError(listing);
  const paged = (found: Found | Failure): Connection => page(context, model, listing, found);
  return context.slices.run(PAGE_COST, () => {
    const found = findRows(context.session, model, request, () => listing.query);
    return found instanceof Promise ? found.then(paged) : paged(found);
  });
}

function page(context: Context, model: EntityModel, listing: Listing, found: Found | Failure): Connection {
  if (isFailure(found)) throw queryError(found);
  const rows = listing.turned ? found.rows.toReversed() : found.rows;
  context.slices.charge(rows.length * (ROW_COST + model.columns.length));
  const nodes = rows.map((row) => model.shape(row.slots));
  return { nodes, rows, more: found.more, model, listing, total: found.total };
}

export function edgesOf(connection: Connection): Edge[] {
  return connection.nodes.map((node, at) => ({ node, at, connection }));
}

/** The cursor of a row in the connection's order. 422 when its values are too long for one. */
export function cursorAt(context: Context, { model, listing, rows }: Connection, at: number): string | null {
  const row = rows.at(at);
  if (row === undefined) return null;
  const cursor = cursorOf(context.live, model, listing.order, row.slots);
  if (isFailure(cursor)) throw queryError(cursor);
  return cursor;
}

/** Whether more rows lie before and after. Against the direction of paging the cursor or the offset says so. */
export function pageInfoOf(connection: Connection): PageInfo {
  const { backward, query } = connection.listing;
  const { more } = connection;
  const { after, before, offset } = query;
  if (backward) return { hasNextPage: before !== null, hasPreviousPage: more, connection };
  return { hasNextPage: more, hasPreviousPage: after !== null || offset > 0, connection };
}

/** How many rows match, counted only where the field is asked for. */
export function totalOf(context: Context, { model, listing, total }: Connection): number | Promise<number> {
  if (total !== null) return total;
  const counted = (found: Found | Failure): number => {
    if (isFailure(found)) throw queryError(found);
    return found.total!;
  };
  return context.slices.run(PAGE_COST, () => {
    const found = findRows(context.session, model, requestAs('read', model, null, null), () => countOf(listing.query));
    return found instanceof Promise ? found.then(counted) : counted(found);
  });
}

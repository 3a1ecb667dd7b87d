/** A query is a frozen value: every surface builds one, the planner reads it, `sql.ts` prints it (DESIGN §6). */

export interface Predicate {
  readonly kind: 'predicate';
  readonly field: string;
  readonly op: 'eq';
  /** As the field stores it. */
  readonly value: unknown;
}

export interface OrderTerm {
  readonly kind: 'order';
  readonly field: string;
  readonly descending: boolean;
}

export interface Query {
  readonly kind: 'query';
  readonly entity: string;
  /** AND-ed. */
  readonly where: readonly Predicate[];
  /** Ties are broken by the key, in the direction of the last term. */
  readonly order: readonly OrderTerm[];
  /** Columns in the order they are shown; null for all. */
  readonly select: readonly string[] | null;
  readonly limit: number;
  readonly offset: number;
  /** Whether soft-deleted rows are visible. */
  readonly deleted: boolean;
  /** Whether all matches are counted, also past the limit. */
  readonly counted: boolean;
}

export function query(entity: string, parts: Partial<Omit<Query, 'kind' | 'entity'>>): Query {
  return Object.freeze({
    kind: 'query',
    entity,
    where: parts.where ?? [],
    order: parts.order ?? [],
    select: parts.select ?? null,
    limit: parts.limit ?? Infinity,
    offset: parts.offset ?? 0,
    deleted: parts.deleted ?? false,
    counted: parts.counted ?? false,
  });
}

export function equals(field: string, value: unknown): Predicate {
  return { kind: 'predicate', field, op: 'eq', value };
}

/** Whether the last term, and so the tie-break by key, descends. */
export function descends(order: readonly OrderTerm[]): boolean {
  return order.length > 0 && order[order.length - 1]!.descending;
}

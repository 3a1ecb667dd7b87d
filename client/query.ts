/** What is asked for, as the query string that docs/contract/data.md §5 describes. */
import { queryOf } from './parameters.ts';
import type { EntityName, Field, IncludeOptions, OrderBy, Relation, SchemaTypes, Where } from './schema.ts';

export interface SingleQuery<S extends SchemaTypes, E extends EntityName<S>, F extends string, P extends string> {
  /** The fields that the rows have; all of them unless set. */
  readonly fields?: readonly (F & Field<S, E>)[];
  /** Relations whose rows come along. */
  readonly include?: readonly (P & Relation<S, E>)[];
  /** Choices among the included rows. */
  readonly included?: IncludeOptions<S, E>;
  /** With soft-deleted rows. */
  readonly deleted?: boolean;
  readonly signal?: AbortSignal;
}

export interface ListQuery<
  S extends SchemaTypes,
  E extends EntityName<S>,
  F extends string,
  P extends string,
> extends SingleQuery<S, E, F, P> {
  /** Conditions that all must hold. */
  readonly where?: Where<S, E>;
  readonly orderBy?: OrderBy<S, E> | readonly OrderBy<S, E>[];
  /** At most so many rows; of `each`, so many in one request. */
  readonly limit?: number;
}

/** A query whose names have been checked by their types. */
export interface Asked {
  readonly fields?: readonly string[];
  readonly include?: readonly string[];
  readonly included?: Readonly<
    Record<string, { where?: object; orderBy?: string | readonly string[]; limit?: number }>
  >;
  readonly deleted?: boolean;
  readonly where?: object;
  readonly orderBy?: string | readonly string[];
  readonly limit?: number;
}

/** The parameters of a list or a single row; conditions are left to `wireOf`. */
export function parametersOf({ fields, include, included = {}, deleted, orderBy, limit }: Asked): URLSearchParams {
  const out = queryOf({
    select: fields?.join(),
    deleted: deleted === true || undefined,
    orderby: orderBy && orderOf(orderBy),
    limit,
  });
  if (include !== undefined && include.length > 0) {
    out.set('include', include.join());
    const depth = Math.max(...include.map((path) => path.split('.').length));
    if (depth > 1) out.set('depth', String(depth));
  }
  for (const [relation, options] of Object.entries(included)) {
    if (options.where !== undefined) out.set(`[${relation}][filter]`, JSON.stringify(wireOf(options.where)));
    if (options.orderBy !== undefined) out.set(`[${relation}][orderby]`, orderOf(options.orderBy));
    if (options.limit !== undefined) out.set(`[${relation}][limit]`, String(options.limit));
  }
  return out;
}

/** All conditions as one group, so that a field with the name of a parameter is a field, and each value keeps its type. */
export function setConditions(parameters: URLSearchParams, where: object | undefined): void {
  if (where !== undefined && Object.keys(where).length > 0) parameters.set('[and]', JSON.stringify([wireOf(where)]));
}

/** Fields of other rows are written in brackets. */
function orderOf(orderBy: string | readonly string[]): string {
  return [orderBy]
    .flat()
    .map((term) => term.replace(/^(-?)(.*\..*)$/, '$1[$2]'))
    .join();
}

const GROUPS: Readonly<Record<string, string>> = { OR: '[or]', AND: '[and]', NOT: '[not]' };
const QUANTIFIERS = ['some', 'none', 'every'];

/**
 * Conditions as the filter of a search body has them. Throws a TypeError where a value is undefined: left out, it would let all rows through.
 */
export function wireOf(where: object): object {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(where) as [string, unknown][]) {
    if (value === undefined) throw new TypeError(`where: ${key} is undefined. Name a value, or leave the key out.`);
    const group = GROUPS[key];
    if (group !== undefined) out[group] = Array.isArray(value) ? value.map(wireOf) : wireOf(value as object);
    else if (isQuantified(value))
      out[`[${key}]`] = Object.fromEntries(Object.entries(value).map(([how, conditions]) => [how, wireOf(conditions)]));
    else out[/[./]/.test(key) ? `[${key}]` : key] = checked(key, value);
  }
  return out;
}

function isQuantified(value: unknown): value is Record<string, object> {
  const [first] = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return first !== undefined && QUANTIFIERS.includes(first);
}

/** The operators of a condition have values, too. */
function checked(key: string, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && Object.values(value).includes(undefined))
    throw new TypeError(`where: an operator of ${key} is undefined. Name a value, or leave the operator out.`);
  return value;
}

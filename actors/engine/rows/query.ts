/** A query is a frozen value: every surface builds one, the planner reads it, `sql.ts` prints it. */
import type { Slots } from './codec.ts';
import type { Column, Link, Reference } from './model.ts';

/** The operators (docs/contract/data.md §5.4). Only `null` tests for null; every other comparison with null is false, as in SQL. */
export const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'like',
  'ilike',
  'null',
  'between',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** What patterns under `[not]` become: callers have no operators for it. */
type NegatedLike = 'nlike' | 'nilike';

export interface Predicate {
  readonly kind: 'predicate';
  readonly field: string;
  readonly op: Operator | NegatedLike;
  /** As the field stores it: a list for `in` and `nin`, a pair for `between`, a pattern for `like`, true or false for `null`. */
  readonly value: unknown;
  /** Where the compared value stands, unless it is a field of the row itself; `field` is then the path as it is written. */
  readonly at?: FarValue;
}

/** A value that a row leads to: a field of the row that its references name, a part of a json field, or both (docs/contract/data.md §5.4.1). */
export interface FarValue {
  /** The references on the way, the first of the row itself; none for a part of one of its own fields. */
  readonly hops: readonly Reference[];
  readonly column: Column;
  /** The members that lead to a part of a json value; none for the whole value of a field. */
  readonly inside: readonly string[];
  /** The value in a view, null where the path leads nowhere; itself null until the query is bound to one (path/bind.ts). */
  readonly read: ((slots: Slots) => unknown) | null;
  /** Where the value is whether rows that refer to the one at the end meet conditions: true or false, never null. `column` is then the key there. */
  readonly rows?: FarRows;
}

/** Rows that refer to one row, of which one, or each, meets conditions (docs/contract/data.md §5.4.3). */
export interface FarRows {
  readonly by: Reference;
  /** Where they are linked with it: the reference of a pair to one of them. `by` is then that of the pair to the row. */
  readonly over?: Reference;
  /** What they meet. */
  readonly of: Conjunction;
  readonly every: boolean;
}

/** Conditions, joined by AND. */
export interface Conjunction {
  readonly where: readonly Predicate[];
  readonly any: readonly Alternatives[];
}

/** Conditions, joined by OR. */
export interface Alternatives {
  readonly kind: 'alternatives';
  readonly of: readonly Conjunction[];
}

export interface OrderTerm {
  readonly kind: 'order';
  readonly field: string;
  readonly descending: boolean;
  /** Where the value lies in another row; `field` is then the path to it. */
  readonly column?: FarColumn;
}

/** A value of another row that a query orders, groups or aggregates by: a column behind those of the row (path/columns.ts). Its name is the path. */
export interface FarColumn extends Column {
  readonly far: FarValue;
}

/** Rows of another entity that are shown with each row. */
export interface Include {
  readonly kind: 'include';
  /** The key under which they are shown. */
  readonly relation: string;
  readonly reference: Reference;
  /** False: the one row that the reference names. True: all rows that refer to this one. */
  readonly many: boolean;
  /** The rows are those that are linked with this one; `reference` is that of the pairs to it. */
  readonly link?: Link;
  /** Shown as a list of their keys. */
  readonly ids?: true;
  readonly include: readonly Include[];
  /** Which of them, in which order and with which fields, for each row that they belong to; null for all of each. */
  readonly asked: Query | null;
}

export interface Aggregate {
  readonly kind: 'aggregate';
  /** The key under which it is shown: `count`, `sum(population)`. */
  readonly name: string;
  readonly of: 'count' | 'count_distinct' | 'sum' | 'min' | 'max' | 'avg';
  /** The aggregated field; null for `count` alone, which counts rows. */
  readonly field: string | null;
  readonly column?: FarColumn;
}

/** A stretch of time by a calendar: `zone` is an IANA name. */
export interface Bucket {
  readonly unit: 'hour' | 'day' | 'week' | 'month' | 'year';
  readonly zone: string;
}

/** What the rows of a group have in common: the value of a field, or the bucket in which it lies. */
export interface GroupKey {
  /** The key under which it is shown: `genre`, `month(written)`. */
  readonly name: string;
  readonly field: string;
  readonly bucket: Bucket | null;
  readonly column?: FarColumn;
}

export interface Grouping {
  readonly kind: 'grouping';
  /** Without any, all rows are one group, even where there are none. */
  readonly by: readonly GroupKey[];
  readonly aggregates: readonly Aggregate[];
  /** Predicates over group columns and aggregates. */
  readonly having: readonly Predicate[];
  readonly order: readonly OrderTerm[];
}

/** Words of an entity's text index, all of which a row must have (search/parse-words.ts). */
export interface TextQuery {
  readonly kind: 'text';
  /** As the caller wrote them. */
  readonly text: string;
  /** The fields of the text index. */
  readonly fields: readonly string[];
  /** Without any, no row matches. */
  readonly words: readonly SearchWord[];
  /** Words that must follow one another in a field. */
  readonly phrases: readonly (readonly string[])[];
  /** Whether the answer shows where they stand. */
  readonly highlight: boolean;
}

export interface SearchWord {
  readonly term: string;
  /** Whether it stands for every word that begins so. */
  readonly isPrefix: boolean;
}

export interface Query extends Conjunction {
  readonly kind: 'query';
  readonly entity: string;
  /** Ties are broken by the key, in the direction of the last term. */
  readonly order: readonly OrderTerm[];
  /** Columns in the order they are shown; null for all. */
  readonly select: readonly string[] | null;
  readonly limit: number;
  readonly offset: number;
  /** Only rows after (before) this place of the order: slots with the order's values and the key. */
  readonly after: Slots | null;
  readonly before: Slots | null;
  /** Whether the answer must say if more rows follow. */
  readonly peek: boolean;
  readonly include: readonly Include[];
  /** Groups instead of rows. */
  readonly group: Grouping | null;
  /** Whether soft-deleted rows are visible. */
  readonly deleted: boolean;
  /** Whether masked fields are to be shown unmasked, which `access.unmask` must allow. */
  readonly unmask: boolean;
  /** Whether all matches are counted, also past the limit. */
  readonly counted: boolean;
  /** Asks for the row as it was in this version; the predicates then test that state. Null for the row as it is. */
  readonly version: number | null;
  /** Null where no words are searched. */
  readonly text: TextQuery | null;
  /** The columns of other rows that its order, groups and aggregates name. */
  readonly far: readonly FarColumn[];
}

const NO_COLUMNS: readonly FarColumn[] = [];

export function query(entity: string, parts: Partial<Omit<Query, 'kind' | 'entity'>>): Query {
  return Object.freeze({
    kind: 'query',
    entity,
    where: parts.where ?? [],
    any: parts.any ?? [],
    order: parts.order ?? [],
    select: parts.select ?? null,
    limit: parts.limit ?? Infinity,
    offset: parts.offset ?? 0,
    after: parts.after ?? null,
    before: parts.before ?? null,
    peek: parts.peek ?? false,
    include: parts.include ?? [],
    group: parts.group ?? null,
    deleted: parts.deleted ?? false,
    unmask: parts.unmask ?? false,
    counted: parts.counted ?? false,
    version: parts.version ?? null,
    text: parts.text ?? null,
    far: parts.far ?? NO_COLUMNS,
  });
}

export function equals(field: string, value: unknown): Predicate {
  return { kind: 'predicate', field, op: 'eq', value };
}

/** Whether nothing is asked of the rows. */
export const isUnconditional = ({ where, any, text }: Query): boolean =>
  where.length === 0 && any.length === 0 && text === null;

/** Every predicate, in alternatives too. */
export function predicatesIn({ where, any }: Conjunction): readonly Predicate[] {
  return any.length === 0 ? where : [...where, ...any.flatMap(({ of }) => of.flatMap(predicatesIn))];
}

/** How many predicates there are, with those that rows on the other side are to meet. */
export function countIn(conditions: Conjunction, counts: (predicate: Predicate) => boolean = () => true): number {
  const all = predicatesIn(conditions);
  return all.reduce(
    (count, one) => count + Number(counts(one)) + (one.at?.rows === undefined ? 0 : countIn(one.at.rows.of, counts)),
    0,
  );
}

/** Whether a value lies in other rows than the one that is asked about. */
export const isElsewhere = ({ hops, rows }: FarValue): boolean => hops.length > 0 || rows !== undefined;

/** The names of the row's own fields that conditions compare. */
export function ownFieldsIn(conditions: Conjunction): string[] {
  return predicatesIn(conditions).flatMap(({ field, at }) =>
    at === undefined ? field : isElsewhere(at) ? [] : at.column.name,
  );
}

/** Whether the last term, and so the tie-break by key, descends. */
export function descends(order: readonly OrderTerm[]): boolean {
  return order.length > 0 && order[order.length - 1]!.descending;
}

/** Whether the page before a place is wanted: the last rows before it, not the first of all. */
export function isBackward({ after, before }: Query): boolean {
  return before !== null && after === null;
}

/** The query with its order reversed, so that the page before a place becomes the page after it. */
export function reversed(asked: Query, key: string): Query {
  const order = asked.order.map((term) => ({ ...term, descending: !term.descending }));
  if (order.length === 0) order.push({ kind: 'order', field: key, descending: true });
  return { ...asked, order, after: asked.before, before: asked.after };
}

/** Predicates and orders over slots, compiled once per query. */
import { DELETED_AT, type Slots } from './codec.ts';
import type { Column, EntityModel } from './model.ts';
import type { Compare } from './order.ts';
import { jsonTestOf } from './path/json.ts';
import { testOf } from './predicate-test.ts';
import { descends } from './query.ts';
import type { Alternatives, Conjunction, FarValue, OrderTerm, Predicate, Query } from './query.ts';

export type Admits = (slots: Slots) => boolean;

/** Whether a row meets every condition and, if it is soft-deleted, may be shown. Nothing equals null, as in SQL. */
export function filterOf(model: EntityModel, { where, any, deleted }: Query): Admits {
  return conjunctionOf(model, { where, any }, deleted);
}

/** The same for conditions alone; soft-deleted rows are shown unless `deleted` is false. */
export function conjunctionOf(model: EntityModel, { where, any }: Conjunction, deleted = true): Admits {
  const plain = where.some(isFar) ? farOf(model, where, deleted) : predicatesOf(model, where, deleted);
  if (any.length === 0) return plain;
  const others = any.map((alternatives) => alternativesOf(model, alternatives));
  return (slots) => plain(slots) && others.every((admits) => admits(slots));
}

function alternativesOf(model: EntityModel, { of }: Alternatives): Admits {
  const branches = of.map((one) => conjunctionOf(model, one));
  return (slots) => branches.some((admits) => admits(slots));
}

interface Far extends Predicate {
  readonly at: FarValue;
}

const isFar = (predicate: Predicate): predicate is Far => predicate.at !== undefined;

/** Conditions with values that the row only leads to: they are asked last, since each may read a row. */
function farOf(model: EntityModel, where: readonly Predicate[], deleted: boolean): Admits {
  const near = predicatesOf(
    model,
    where.filter((one) => !isFar(one)),
    deleted,
  );
  const tests = where.filter(isFar).map(farTestOf);
  return (slots) => near(slots) && tests.every((test) => test(slots));
}

function farTestOf(predicate: Far): Admits {
  const { read, inside, column, rows } = predicate.at;
  if (read === null) throw new Error(`${predicate.field} is not bound to a view`);
  if (rows !== undefined) return (slots) => (read(slots) === predicate.value) === (predicate.op === 'eq');
  const test = inside.length > 0 ? jsonTestOf(predicate) : testOf(predicate, column.compare);
  return (slots) => test(read(slots));
}

function predicatesOf(model: EntityModel, where: readonly Predicate[], deleted: boolean): Admits {
  if (where.every((predicate) => predicate.op === 'eq')) return equalityOf(model, where, deleted);
  const places = where.map(({ field }) => model.column(field)!.at);
  const tests = where.map((predicate) => testOf(predicate, model.column(predicate.field)!.compare));
  return (slots) => {
    if (!deleted && slots[DELETED_AT] !== null) return false;
    for (let i = 0; i < places.length; i++) if (!tests[i]!(slots[places[i]!])) return false;
    return true;
  };
}

/** The most common filter, equalities, without a call for each predicate. */
function equalityOf(model: EntityModel, where: readonly Predicate[], deleted: boolean): Admits {
  const places = where.map(({ field }) => model.column(field)!.at);
  const compares = where.map(({ field }) => model.column(field)!.compare!);
  const values = where.map(({ value }) => value);
  return (slots) => {
    if (!deleted && slots[DELETED_AT] !== null) return false;
    for (let i = 0; i < places.length; i++) {
      const value = slots[places[i]!];
      if (value !== values[i] && (value === null || compares[i]!(value, values[i]) !== 0)) return false;
    }
    return true;
  };
}

/** The terms of the total order, which ends with the key. */
export function termsOf(model: EntityModel, order: readonly OrderTerm[]): readonly OrderTerm[] {
  const field = model.key.name;
  if (order.some((term) => term.field === field)) return order;
  return [...order, { kind: 'order', field, descending: descends(order) }];
}

/** The column of a term that was parsed: of the row itself, or one behind its own. */
export function columnOf(model: EntityModel, { field, column }: Pick<OrderTerm, 'field' | 'column'>): Column {
  return column ?? model.column(field)!;
}

/** Compares rows in the query's total order, which ends with the key. */
export function sorterOf(model: EntityModel, query: Query): (a: Slots, b: Slots) => number {
  const terms = termsOf(model, query.order);
  const columns = terms.map((term) => columnOf(model, term));
  const places = columns.map(({ at }) => at);
  const compares: Compare[] = columns.map(({ compare }) => compare!);
  const signs = terms.map(({ descending }) => (descending ? -1 : 1));
  return (a, b) => {
    for (let i = 0; i < places.length; i++) {
      const at = places[i]!;
      const difference = compares[i]!(a[at], b[at]);
      if (difference !== 0) return signs[i]! * difference;
    }
    return 0;
  };
}

/** Whether a row lies between the query's cursors; null when it has none. */
export function windowOf(model: EntityModel, query: Query): Admits | null {
  const { after, before } = query;
  if (after === null && before === null) return null;
  const compare = sorterOf(model, query);
  return (slots) => (after === null || compare(slots, after) > 0) && (before === null || compare(slots, before) < 0);
}

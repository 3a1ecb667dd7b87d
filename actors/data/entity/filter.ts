/** Predicates and orders over slots, compiled once per query. */
import { DELETED_AT } from './codec.ts';
import type { Slots } from './codec.ts';
import type { EntityModel } from './model.ts';
import type { Compare } from './order.ts';
import { descends } from './query.ts';
import type { Query } from './query.ts';

export type Admits = (slots: Slots) => boolean;

/** Whether a row meets every predicate and is visible as to deletion. Nothing equals null, as in SQL. */
export function filterOf(model: EntityModel, query: Query): Admits {
  const places = query.where.map(({ field }) => model.column(field)!.at);
  const compares = query.where.map(({ field }) => model.column(field)!.compare!);
  const values = query.where.map(({ value }) => value);
  const { deleted } = query;
  return (slots) => {
    if (!deleted && slots[DELETED_AT] !== null) return false;
    for (let i = 0; i < places.length; i++) {
      const value = slots[places[i]!];
      if (value !== values[i] && (value === null || compares[i]!(value, values[i]) !== 0)) return false;
    }
    return true;
  };
}

/** The query's total order, the key as its last term. */
export function sorterOf(model: EntityModel, query: Query): (a: Slots, b: Slots) => number {
  const terms = [...query.order, { field: model.key.name, descending: descends(query.order) }];
  const places = terms.map(({ field }) => model.column(field)!.at);
  const compares: Compare[] = terms.map(({ field }) => model.column(field)!.compare!);
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

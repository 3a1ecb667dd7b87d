/**
 * How a query finds its candidates. Predicates stay as residue in any case, so a plan decides cost and never the answer:
 * one row by its key · index by equality of its first fields · index in the wanted order · the table, sorted where needed.
 */
import type { Bytes } from './keys/store.ts';
import type { EntityModel, IndexModel } from './model.ts';
import { descends } from './query.ts';
import type { OrderTerm, Query } from './query.ts';

export type Plan =
  | { readonly kind: 'point'; readonly id: Bytes | null; readonly ordered: true }
  | {
      readonly kind: 'index';
      readonly index: IndexModel;
      /** Values of the index's first fields. */
      readonly values: readonly unknown[];
      /** Whether entries come in the query's order; else candidates are sorted. */
      readonly ordered: boolean;
      readonly reverse: boolean;
    }
  | { readonly kind: 'table'; readonly ordered: boolean; readonly reverse: boolean };

type IndexPlan = Extract<Plan, { kind: 'index' }>;

/** Picks a plan: the most fields bound by equality first, then the one that spares a sort. */
export function planQuery(model: EntityModel, query: Query): Plan {
  const fixed = new Map<string, unknown>();
  for (const { field, value } of query.where) fixed.set(field, value);
  if (fixed.has(model.key.name)) return { kind: 'point', id: model.idOf(fixed.get(model.key.name)), ordered: true };
  const order = neededOrder(model, query.order, fixed);
  const reverse = descends(query.order);
  let best: IndexPlan | null = null;
  for (const index of model.indexes) {
    const plan = indexPlan(index, fixed, order, reverse);
    if (plan !== null && (best === null || worth(plan) > worth(best))) best = plan;
  }
  if (best !== null) return best;
  const ordered = order.length === 0;
  return { kind: 'table', ordered, reverse: ordered && reverse };
}

/** Terms that still decide something: not those fixed by equality, nor those after the key. */
function neededOrder(
  model: EntityModel,
  order: readonly OrderTerm[],
  fixed: ReadonlyMap<string, unknown>,
): readonly OrderTerm[] {
  const needed: OrderTerm[] = [];
  for (const term of order) {
    if (term.field === model.key.name) return term.descending === descends(order) ? needed : [...needed, term];
    if (!fixed.has(term.field)) needed.push(term);
  }
  return needed;
}

function indexPlan(
  index: IndexModel,
  fixed: ReadonlyMap<string, unknown>,
  order: readonly OrderTerm[],
  reverse: boolean,
): IndexPlan | null {
  const values: unknown[] = [];
  while (values.length < index.names.length && fixed.has(index.names[values.length]!))
    values.push(fixed.get(index.names[values.length]!));
  const ordered = followsOrder(index.names, values.length, order, reverse);
  if (values.length === 0 && !(ordered && order.length > 0)) return null;
  return { kind: 'index', index, values, ordered, reverse: ordered && reverse };
}

/** Whether the fields after the bound ones are exactly the wanted order, all in one direction. */
function followsOrder(names: readonly string[], bound: number, order: readonly OrderTerm[], reverse: boolean): boolean {
  if (names.length - bound !== order.length) return false;
  return order.every((term, i) => term.field === names[bound + i] && term.descending === reverse);
}

function worth(plan: IndexPlan): number {
  const whole = plan.index.unique && plan.values.length === plan.index.names.length;
  return (whole ? 1000 : 0) + 2 * plan.values.length + (plan.ordered ? 1 : 0);
}

/** The plan in words, for `stats`. */
export function describePlan(plan: Plan): Record<string, unknown> {
  if (plan.kind === 'point') return { access: 'key', sorted: false };
  if (plan.kind === 'table') return { access: 'table', sorted: !plan.ordered };
  return { access: 'index', index: plan.index.names, bound: plan.values.length, sorted: !plan.ordered };
}

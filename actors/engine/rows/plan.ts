/**
 * Picks how a query finds its candidates. Every predicate is checked on each row in any case, so a plan decides cost and never the
 * answer. The plans: rows by their keys · ranges of an index, joined in its order or merged into the wanted one · the intersection of
 * several indexes · the table, sorted where needed. Words alone are not checked again: the text index, which changes in the commit of the
 * row, is their only answer.
 */
import { NO_RIVALS, type Plan, type Wanted } from './access-path.ts';
import { textPlan } from '../search/text-plan.ts';
import { chooseIndex, indexPlanOf, worthOfOrder } from './choose-index.ts';
import { clipTable } from './clip.ts';
import { conditionsOf, idsOf } from './conditions.ts';
import { rivalsOf } from './intersect.ts';
import { idTailRange, tableRange } from './keys/store.ts';
import type { EntityModel } from './model.ts';
import { descends, type OrderTerm, type Predicate, type Query } from './query.ts';
import { unionOf } from './union.ts';

/** Picks a plan. `known`: further predicates that hold for every row the caller may see (from rules). */
export function planQuery(model: EntityModel, query: Query, known: readonly Predicate[] = []): Plan {
  if (query.text !== null && model.text !== null) return textPlan(model.text, query.text, query);
  const plain = planPredicates(model, query, known);
  if (query.any.length === 0) return plain;
  return unionOf(query, plain, (branch) => planQuery(model, branch, known)) ?? plain;
}

/** A plan by what holds for every match, alternatives aside. */
function planPredicates(model: EntityModel, query: Query, known: readonly Predicate[]): Plan {
  const conditions = conditionsOf(model, known.length === 0 ? query.where : [...query.where, ...known]);
  const order = neededOrder(model, query.order, conditions.fixed);
  const wanted: Wanted = { ...conditions, model, query, order, reverse: descends(query.order) };
  const keyed = keyPlan(wanted);
  if (keyed !== null) return keyed;
  const choice = chooseIndex(wanted);
  if (choice === null || choice.worth < worthOfTable(wanted)) return tablePlan(wanted);
  const best = indexPlanOf(wanted, choice);
  const rivals = conditions.fixed.size < 2 ? NO_RIVALS : rivalsOf(wanted, best);
  return rivals.length === 0 ? best : { ...best, rivals };
}

function worthOfTable({ model, query, tails, order }: Wanted): number {
  return (tails.has(model.key.name) ? 3 : -1) + worthOfOrder(order.length === 0, query);
}

/** The plan of a query whose key is fixed or listed, or that can match nothing; null for any other. */
function keyPlan({ model, query, fixed, lists, impossible, order, reverse }: Wanted): Plan | null {
  const key = model.key.name;
  const listed = lists.get(key);
  if (impossible) return { kind: 'point', ids: [], ordered: true, reverse: false };
  if (fixed.has(key)) return { kind: 'point', ids: idsOf(model, [fixed.get(key)]), ordered: true, reverse: false };
  if (listed === undefined) return null;
  const ordered = order.length === 0;
  return { kind: 'point', ids: idsOf(model, listed), ordered, reverse: ordered && reverse && query.order.length > 0 };
}

function tablePlan(wanted: Wanted): Extract<Plan, { kind: 'table' }> {
  const { model, tails, order, reverse } = wanted;
  const ordered = order.length === 0;
  const tail = tails.get(model.key.name);
  const range = tail === undefined ? tableRange(model.table) : idTailRange(model.table, model.key.type, tail);
  const clipped = ordered ? clipTable(wanted, range) : range;
  return { kind: 'table', range: clipped, tailed: tail !== undefined, ordered, reverse: ordered && reverse };
}

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

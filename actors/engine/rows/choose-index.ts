/** Which index serves a query best, and the ranges of it that hold the candidates. */
import { limits } from '#config/limits.ts';
import { NO_RIVALS, sortsTooMany, type IndexPlan, type Wanted } from './access-path.ts';
import { clipIndex } from './clip.ts';
import { spanOf } from './conditions.ts';
import { indexRange, indexTailRange, type Tail } from './keys/store.ts';
import type { IndexModel } from './model.ts';
import type { OrderTerm } from './query.ts';

/** What an index would do for a query. Its keys are made only once it is chosen. */
export interface Choice extends Binding {
  readonly index: IndexModel;
  readonly ordered: boolean;
  readonly merged: boolean;
  readonly worth: number;
}

interface Binding {
  /** Values of the index's first fields: one list for each combination, in ascending order. */
  readonly combinations: readonly (readonly unknown[])[];
  /** Bound fields that take more than one value. */
  readonly listed: readonly string[];
  readonly tail: Tail | undefined;
}

/** Binds fields of the index from the first on, for as long as they are fixed or listed. */
function bind({ fixed, lists, tails }: Wanted, index: IndexModel): Binding {
  let combinations: readonly (readonly unknown[])[] = [[]];
  const listed: string[] = [];
  for (const name of index.names) {
    const list = lists.get(name);
    if (fixed.has(name)) combinations = combinations.map((values) => [...values, fixed.get(name)]);
    else if (list !== undefined && combinations.length * list.length <= limits.data.planRangesMax) {
      combinations = combinations.flatMap((values) => list.map((value) => [...values, value]));
      listed.push(name);
    } else return { combinations, listed, tail: tails.get(name) ?? (list === undefined ? undefined : spanOf(list)) };
  }
  return { combinations, listed, tail: undefined };
}

/** The index that is worth most; null when no index narrows the rows or gives their order. */
export function chooseIndex(wanted: Wanted): Choice | null {
  let best: Choice | null = null;
  for (const index of wanted.model.indexes) {
    const choice = isUseful(wanted, index) ? choiceOf(wanted, index) : null;
    if (choice !== null && (best === null || choice.worth > best.worth)) best = choice;
  }
  return best;
}

/** Whether the first field of the index is bound, or the index may give the order. */
function isUseful({ fixed, lists, tails, order }: Wanted, index: IndexModel): boolean {
  const first = index.names[0]!;
  return order.length > 0 || fixed.has(first) || lists.has(first) || tails.has(first);
}

function choiceOf(wanted: Wanted, index: IndexModel): Choice | null {
  const { order, reverse, fixed } = wanted;
  const binding = bind(wanted, index);
  const { combinations, listed, tail } = binding;
  const free = index.names.filter((name) => !fixed.has(name));
  const joined = isOrder(free, order, reverse);
  const unlisted = listed.length === 0 ? free : free.filter((name) => !listed.includes(name));
  const merged = !joined && listed.length > 0 && isOrder(unlisted, order, reverse);
  const ordered = joined || merged;
  const narrows = combinations[0]!.length > 0 || tail !== undefined;
  if (!narrows && !(ordered && order.length > 0)) return null;
  return { ...binding, index, ordered, merged, worth: worthOf(wanted, index, binding, ordered) };
}

/** More bound fields win, then a range, then an order that saves a sort. A page too long to be sorted must come in order. */
function worthOf({ query }: Wanted, index: IndexModel, { combinations, tail }: Binding, ordered: boolean): number {
  const bound = combinations[0]!.length;
  const isOneRow = index.unique && bound === index.names.length && combinations.length === 1;
  const spread = combinations.length > 1 ? 1 : 0;
  return (isOneRow ? 1000 : 0) + 4 * bound - spread + (tail === undefined ? 0 : 2) + worthOfOrder(ordered, query);
}

export function worthOfOrder(ordered: boolean, query: Wanted['query']): number {
  return ordered ? 1 : sortsTooMany(query) ? -10_000 : 0;
}

export function indexPlanOf(wanted: Wanted, { index, combinations, tail, ordered, merged }: Choice): IndexPlan {
  const ranges = combinations
    .map((values) => {
      const range = tail === undefined ? indexRange(index, values) : indexTailRange(index, values, tail);
      return ordered ? clipIndex(wanted, index, values, range) : range;
    })
    .filter(({ from, to }) => from < to)
    // Ranges lie in the order of their values, except texts that were cut: those lie in the order of their hash.
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const shape = { ordered, reverse: ordered && wanted.reverse, merged, rivals: NO_RIVALS };
  return { kind: 'index', index, ranges, bound: combinations[0]!.length, tailed: tail !== undefined, ...shape };
}

/** Whether the fields are exactly the wanted order, all in one direction. */
function isOrder(names: readonly string[], order: readonly OrderTerm[], reverse: boolean): boolean {
  if (names.length !== order.length) return false;
  return order.every((term, i) => term.field === names[i] && term.descending === reverse);
}

/** Intersection of indexes: rows whose ids lie in a range of each. */
import { limits } from '#config/limits.ts';
import { NO_RIVALS, type IndexPlan, type Plan, type Rival, type Wanted } from './access-path.ts';
import { indexRange, type KeyRange } from './keys/store.ts';
import type { IndexModel } from './model.ts';

/** How many entries a range holds, counted up to `limits.data.planProbeEntries`. */
export type Probe = (range: KeyRange) => number;

/** The indexes with all fields fixed of which none covers another; none where `best` finds one row, or gives the order of a page and can stop early. */
export function rivalsOf({ model, fixed, order, reverse }: Wanted, best: IndexPlan): readonly Rival[] {
  if (best.index.unique && best.bound === best.index.names.length) return NO_RIVALS;
  if (best.ordered && order.length > 0) return NO_RIVALS;
  if (order.length === 0 && reverse) return NO_RIVALS;
  const whole = model.indexes.filter((index) => !index.unique && index.names.every((name) => fixed.has(name)));
  const useful = whole.filter((index) => !whole.some((other) => other !== index && covers(other, index)));
  if (useful.length < 2) return NO_RIVALS;
  return useful.map((index) => {
    const range = indexRange(
      index,
      index.names.map((name) => fixed.get(name)),
    );
    return { index, range };
  });
}

/** Decides between an index and its rivals: the one whose range is short, else their intersection. */
export function refinePlan(plan: Plan, probe: Probe): Plan {
  if (plan.kind === 'union')
    return { ...plan, branches: plan.branches.map((one) => ({ ...one, plan: refinePlan(one.plan, probe) })) };
  if (plan.kind !== 'index' || plan.rivals.length === 0) return plan;
  const sized = plan.rivals.map((rival) => ({ ...rival, size: probe(rival.range) }));
  const { index, range, size } = sized.reduce((a, b) => (b.size < a.size ? b : a));
  // A range that holds one combination of values comes in the order of the key.
  const { ordered } = plan;
  if (size >= limits.data.planProbeEntries)
    return {
      kind: 'intersection',
      indexes: sized.map((one) => one.index),
      ranges: sized.map((one) => one.range),
      ordered,
      reverse: false,
    };
  return { ...plan, index, ranges: [range], bound: index.names.length, tailed: false, merged: false, reverse: false };
}

/** Whether an index has all fields of another; of two with the same fields, the first covers the second. */
function covers(index: IndexModel, other: IndexModel): boolean {
  if (!other.names.every((name) => index.names.includes(name))) return false;
  return index.names.length > other.names.length || index.no < other.no;
}

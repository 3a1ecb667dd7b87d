/** Whether a value meets a predicate. Nothing equals null, as in SQL. */
import { likeOf } from './like.ts';
import type { Compare } from './order.ts';
import type { Predicate } from './query.ts';

/** Whether a value meets a predicate. `compare` is null for types without an order: those have no predicate but `null`. */
export function testOf({ op, value }: Predicate, compare: Compare | null): (given: unknown) => boolean {
  if (op === 'null') return (given) => (given === null) === value;
  const order = compare!;
  const against = (holds: (difference: number) => boolean) => (given: unknown) =>
    given !== null && holds(order(given, value));
  switch (op) {
    case 'eq':
      return against((difference) => difference === 0);
    case 'ne':
      return against((difference) => difference !== 0);
    case 'gt':
      return against((difference) => difference > 0);
    case 'gte':
      return against((difference) => difference >= 0);
    case 'lt':
      return against((difference) => difference < 0);
    case 'lte':
      return against((difference) => difference <= 0);
    case 'between': {
      const [low, high] = value as readonly [unknown, unknown];
      return (given) => given !== null && order(given, low) >= 0 && order(given, high) <= 0;
    }
    case 'in':
      return membershipOf(value as readonly unknown[], order, true);
    case 'nin':
      return membershipOf(value as readonly unknown[], order, false);
    default: {
      const like = likeOf(value as string, op === 'ilike' || op === 'nilike');
      const wanted = op === 'like' || op === 'ilike';
      return (given) => given !== null && like(given as string) === wanted;
    }
  }
}

/** Membership by binary search in the sorted list. */
function membershipOf(list: readonly unknown[], compare: Compare, wanted: boolean): (given: unknown) => boolean {
  const sorted = list.toSorted(compare);
  return (given) => {
    if (given === null) return false;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const difference = compare(sorted[middle], given);
      if (difference === 0) return wanted;
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    return !wanted;
  };
}

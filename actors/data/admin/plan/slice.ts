/** What a plan reads in one turn. */
import type { Work } from '#actors/host/work.ts';
import { limits } from '#config/limits.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import type { Entry } from './store.ts';

/** The first entries of a range, as many as a slice may take. Work on an entry counts before the next is read. */
export function* slice(work: Work, entries: Iterable<Entry>): Generator<Entry, void, void> {
  const budget = new Budget(work.activation.context.clock, limits.plans);
  for (const entry of entries) {
    const { length } = entry.value; // the consumer may call the store, after which the entry's bytes are gone
    yield entry;
    budget.count(1, length);
    if (budget.look()) return;
  }
}

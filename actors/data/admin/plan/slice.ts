/** What a plan looks at in one turn. */
import type { Work } from '#actors/host/work.ts';
import { limits } from '#config/limits.ts';
import type { Entry } from './store.ts';

/** The first entries of a range, as many as a slice may look at. */
export function* slice(work: Work, entries: Iterable<Entry>): Generator<Entry, void, void> {
  const { clock } = work.activation.context;
  const end = clock.now() + limits.plans.sliceMsMax;
  let taken = 0;
  for (const entry of entries) {
    yield entry;
    if (++taken === limits.plans.sliceRowsMax || clock.now() >= end) return;
  }
}

/** Turns of a plan's work between those of the tenant's callers: short ones, and none while somebody holds the tenant. */
import { setTimeout } from 'node:timers/promises';
import type { Work } from '#actors/host/work.ts';
import { limits } from '#config/limits.ts';
import { isFull } from '../../schema/store.ts';
import type { Entry, Turn } from './store.ts';

/** Lets other turns run, and whoever holds the tenant end. */
export async function letOthers({ activation }: Work): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  while (activation.exclusive.held) await new Promise<void>((resolve) => activation.exclusive.whenFree(resolve));
}

/**
 * Commits one turn; `then` runs with it, before any other turn. A full overlay is waited for, as is LMDB where it is far behind:
 * the tenant's callers come first. Throws what `fill` throws, with nothing staged.
 */
export async function commitTurn(
  work: Work,
  fill: (turn: Turn) => void,
  then: () => void = () => undefined,
): Promise<void> {
  const { store } = work.activation;
  for (;;) {
    await letOthers(work);
    if (store.pressure <= limits.plans.pressureMax && commits(work, fill)) {
      then();
      return;
    }
    await setTimeout(limits.data.fullPauseMs);
  }
}

function commits(work: Work, fill: (turn: Turn) => void): boolean {
  const turn = work.activation.store.begin();
  try {
    fill(turn);
    if (turn.dirty) turn.commit();
    work.saw(turn.newest);
    return true;
  } catch (error) {
    turn.abort();
    if (isFull(error)) return false;
    throw error;
  }
}

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

/** Adds the users of before the index to it: when it is first needed, in turns beside the requests, and going on where a stop broke it off. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import type { Identity } from '../identity.ts';
import { usersFrom } from '../store.ts';
import { indexProgress, keepIndex, putIndexProgress } from './store.ts';

interface Building {
  /** Settles when the index has every user; null before it is first needed. */
  done: Promise<void> | null;
  ready: boolean;
}

const BUILDING = new Part<Building>('index of users', () => ({ done: null, ready: false }));

/** Null when the index has every user, else a promise of that: after it the caller takes a new turn. */
export function indexReady(identity: Identity, activation: Activation): Promise<void> | null {
  const building = BUILDING.of(activation);
  if (building.ready) return null;
  building.done ??= build(identity, activation).then(
    () => void (building.ready = true),
    (error: unknown) => {
      building.done = null; // the next call goes on
      throw error;
    },
  );
  return building.done;
}

async function build(identity: Identity, activation: Activation): Promise<void> {
  while (!addSlice(activation)) await identity.afterTurn();
}

/** One turn; whether it was the last. Entries of users who changed meanwhile are right already, and stay so. */
function addSlice({ store }: Activation): boolean {
  const turn = store.begin();
  try {
    const progress = indexProgress(turn);
    if (progress?.after === null) {
      turn.abort();
      return true;
    }
    const last = progress?.after ?? '';
    let after: string | null = null;
    let taken = 0;
    for (const user of usersFrom(turn, last)) {
      if (user.id === last) continue;
      if (taken === limits.people.indexSliceRows) break;
      keepIndex(turn, undefined, user);
      after = user.id;
      taken++;
    }
    const isLast = taken < limits.people.indexSliceRows;
    putIndexProgress(turn, { after: isLast ? null : after });
    turn.commit();
    return isLast;
  } catch (error) {
    turn.abort();
    throw error;
  }
}

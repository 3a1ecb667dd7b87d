/** Work under a lock, from taking it to giving it back, in turns of its own before and after. */
import { hostname } from 'node:os';
import type { Work } from '#actors/host/work.ts';

import { partOf } from '../../part.ts';
import type { Turn } from './store.ts';
import { beatLock, isHeld, releaseLock, takeLock } from './lock.ts';
import type { Held, LockRecord } from './lock.ts';

/** What is locked in a tenant, and for what. */
export interface Operation {
  readonly resource: string;
  readonly opKind: string;
  readonly planId: string;
}

/** Asked in every turn before it is committed; it keeps the lock alive. Throws LockLost. */
export type Guard = (turn: Turn) => void;

/** `<what>:<datastore>`: a name that stands in a path without escapes. */
export function resourceOf(what: string, datastore: string): string {
  return `${what}:${datastore}`;
}

/**
 * Runs work under a lock that it takes and commits first, and gives back however the work ends. What the work leaves staged is its
 * own: it has committed it, or it is dropped. `Held` where another has the lock.
 */
export async function underLock<T>(
  work: Work,
  { resource, opKind, planId }: Operation,
  run: (guard: Guard) => Promise<T>,
): Promise<T | Held> {
  const { context } = work.activation;
  const { holders } = partOf(work.activation);
  const id = context.ids.next();
  const holder = context.ids.next();
  const wish = { id, resource, holder, opKind, hostname: hostname(), planId };
  const lock = takeLock(work.turn(), context.clock.now(), wish, (other) => holders.has(other));
  if (isHeld(lock)) return lock;
  holders.add(holder);
  try {
    work.commit();
    return await run((turn) => beatLock(turn, context.clock.now(), lock));
  } finally {
    holders.delete(holder);
    giveBack(work, lock);
  }
}

/** A lock that cannot be given back now (the store is full) is a dead man's: nobody has to wait for it. */
function giveBack(work: Work, lock: LockRecord): void {
  work.abort();
  const turn = work.turn();
  releaseLock(turn, lock);
  try {
    work.commit();
  } catch {
    work.abort();
  }
}

/** Work under a lock, from taking it to giving it back, in turns of its own before and after. */
import { hostname } from 'node:os';
import type { Work } from '#actors/host/work.ts';
import { partOf } from '../../part.ts';
import { isStoreFull } from './store.ts';
import type { Turn } from './store.ts';
import { beatLock, isHeld, releaseLock, takeLock } from './lock.ts';
import type { Held, LockRecord } from './lock.ts';

/** What is locked in a tenant, and for what. */
export interface Operation {
  readonly resource: string;
  readonly opKind: string;
  readonly planId: string;
  readonly apartFrom?: readonly string[];
}

/** What is locked for each kind of work, and what it keeps apart from: the schema does not change under seeds and retention. */
const KINDS = {
  apply: { what: 'plans', apart: ['retention', 'seeds'] },
  provision: { what: 'plans', apart: ['retention', 'seeds'] },
  retention: { what: 'retention', apart: ['plans'] },
  seed: { what: 'seeds', apart: ['plans'] },
} as const;

/** Asked in every turn before it is committed; it keeps the lock alive. Throws LockLost. */
export type Guard = (turn: Turn) => void;

/** Resources are `<what>:<datastore>`: a name that stands in a path without escapes. */
export function operationOf(opKind: keyof typeof KINDS, datastore: string, planId: string): Operation {
  const { what, apart } = KINDS[opKind];
  return { resource: `${what}:${datastore}`, opKind, planId, apartFrom: apart.map((other) => `${other}:${datastore}`) };
}

/**
 * Runs work under a lock that it takes and commits first, and gives back however the work ends. What the work leaves staged is its
 * own: it has committed it, or it is dropped. `Held` where another has the lock.
 */
export async function underLock<T>(
  work: Work,
  operation: Operation,
  run: (guard: Guard) => Promise<T>,
): Promise<T | Held> {
  const { context } = work.activation;
  const { holders } = partOf(work.activation);
  const id = context.ids.next();
  const holder = context.ids.next();
  const wish = { ...operation, id, holder, hostname: hostname() };
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
  } catch (error) {
    work.abort();
    if (!isStoreFull(error)) throw error;
  }
}

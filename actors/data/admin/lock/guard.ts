/** Runs work under a lock, which is taken in a turn before it and released in a turn after it. */
import { hostname } from 'node:os';
import type { Work } from '#actors/host/work.ts';
import { partOf } from '../../part.ts';
import { isStoreFull, type Turn } from './store.ts';
import { beatLock, isHeld, releaseLock, takeLock, type Held, type LockRecord } from './lock.ts';

/** The lock that an operation takes: on which resource, for which kind of work. */
export interface Operation {
  readonly resource: string;
  readonly opKind: string;
  readonly planId: string;
  readonly apartFrom?: readonly string[];
}

/** For each kind of work what it locks, and which locks must be free meanwhile: the schema may not change under seeds and retention. */
const KINDS = {
  apply: { what: 'plans', apart: ['retention', 'seeds'] },
  provision: { what: 'plans', apart: ['retention', 'seeds'] },
  retention: { what: 'retention', apart: ['plans'] },
  seed: { what: 'seeds', apart: ['plans'] },
} as const;

/** Called in every turn before its commit: it renews the lock. Throws LockLost. */
export type Guard = (turn: Turn) => void;

/** Resources are `<what>:<datastore>`: a name that stands in a path without escapes. */
export function operationOf(opKind: keyof typeof KINDS, datastore: string, planId: string): Operation {
  const { what, apart } = KINDS[opKind];
  return { resource: `${what}:${datastore}`, opKind, planId, apartFrom: apart.map((other) => `${other}:${datastore}`) };
}

/**
 * Takes a lock and commits it, runs the work, and releases the lock however the work ends. What the work has staged and not committed is
 * dropped. `Held` where another operation has the lock.
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

/** Where the store is full the lock's row stays; it delays no operation, since its holder no longer counts as at work. */
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

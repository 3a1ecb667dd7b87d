/** The 409 of an operation that could not take its lock, or lost it. */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../../refusals.ts';
import { underLock, type Guard, type Operation } from './guard.ts';
import { LockLost } from './lock.ts';
import { showLock } from './show.ts';

type LockRefusal = Refusal<'v2.locked' | 'v2.lock_lost'>;

/** What `run` gives; 409 where another operation has the lock, or this one lost it on the way. */
export async function lockedOut<T extends object>(
  call: Call,
  operation: Operation,
  run: (guard: Guard) => Promise<T>,
): Promise<T | LockRefusal> {
  try {
    const done = await underLock(call, operation, run);
    if (!('kind' in done) || done.kind !== 'held') return done as T;
    const details = { lock: showLock(done.by, call.activation.context.clock.now()) };
    return refuse('v2.locked', { message: `${done.by.resource} is locked by ${done.by.holder_id}`, details });
  } catch (error) {
    if (!(error instanceof LockLost)) throw error;
    return refuse('v2.lock_lost', { message: error.message });
  }
}

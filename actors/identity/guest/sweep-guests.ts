/**
 * Deletes guests whose time is over, with their sessions: beside the requests, a few in a turn. It begins when the tenant wakes and when a guest
 * comes, at most once a minute; a tenant whose guests do nothing keeps them until then.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Identity } from '../identity.ts';
import { stageRemoval } from '../people/remove-user.ts';
import { findUser } from '../store.ts';
import { forgetGuest, guestsOver } from './store.ts';

interface Sweep {
  lastMs: number;
  running: boolean;
}

const SWEEP = new Part<Sweep>('sweep of guests', () => ({ lastMs: -Infinity, running: false }));
/** As events name it: nothing but the time that passed. */
const BY_TIME = { actor: '', request_id: '' } as const;

/** Starts a sweep where guests are over. Costs one read when it is due, and nothing else. */
export function sweepGuests(identity: Identity, activation: Activation): void {
  const sweep = SWEEP.of(activation);
  const now = activation.context.clock.now();
  if (sweep.running || now - sweep.lastMs < limits.account.guestSweepEveryMs) return;
  sweep.lastMs = now;
  if (activation.standing?.isReadOnly === true || overIn(activation).length === 0) return;
  sweep.running = true;
  void run(identity, activation).finally(() => (sweep.running = false));
}

function overIn(activation: Activation): string[] {
  const work = new Work(activation);
  try {
    return guestsOver(work.turn(), timestamp(work.now), limits.account.guestSweepRows);
  } finally {
    work.abort();
  }
}

/** When the store is full, the guests are found again by a later sweep. */
async function run(identity: Identity, activation: Activation): Promise<void> {
  try {
    let more = true;
    while (more) {
      await identity.afterTurn();
      more = removeSlice(identity, activation);
    }
  } catch (error) {
    activation.context.log.warn(
      { service: 'identity', tenant: activation.position.key, error: String(error) },
      'guests whose time is over could not be deleted: they are tried again in a minute or later',
    );
  }
}

/** One turn; gives whether there may be more. */
function removeSlice(identity: Identity, activation: Activation): boolean {
  const over = overIn(activation);
  for (const id of over) {
    const work = new Work(activation);
    try {
      const user = findUser(work.turn(), id);
      if (user?.guest === true) stageRemoval(identity, work, BY_TIME, user);
      else forgetGuest(work.turn(), id);
      work.commit();
    } catch (error) {
      work.abort();
      throw error;
    }
  }
  return over.length === limits.account.guestSweepRows;
}

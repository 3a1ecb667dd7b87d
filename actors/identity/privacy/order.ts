/** The order of an erasure, staged in the commit that deletes the account: whatever a crash interrupts after it is done later. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { stageErasure } from '../account/erase-user.ts';
import { tell, type Identity } from '../identity.ts';
import type { By } from '../people/stage-change.ts';
import type { UserRecord } from '../store.ts';
import { deleteErasure, putErasure, readErasures } from './store.ts';

/** Whether one more fits: orders that wait are bounded, ended ones give way. */
export const mayOrder = (work: Work): boolean =>
  readErasures(work.turn()).filter(({ state }) => state === 'open').length < limits.privacy.erasuresMax;

/** Stages the end of the account and the order for the rest; gives the order's id. Commit at once, then `Erasures.kick`. */
export function stageOrder(identity: Identity, work: Work, by: By, user: UserRecord, reason: string): string {
  stageErasure(identity, work, user, reason);
  const turn = work.turn();
  const known = readErasures(turn);
  const ended = known.find(({ state }) => state === 'done');
  if (known.length >= limits.privacy.erasuresMax && ended !== undefined) deleteErasure(turn, ended.id);
  const id = work.activation.context.ids.next();
  putErasure(turn, {
    id,
    user: user.id,
    email: user.email,
    by: by.actor,
    state: 'open',
    began_at: timestamp(work.now),
    ended_at: null,
    rows: {},
    audit_lines: null,
  });
  tell(identity, work, { ...by, action: 'auth.user.removed', target: user.id, data: { erasure: id } });
  return id;
}

/** Deletes the sessions of a user who is deleted: living ones end, and their rows go, with addresses and reasons. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { endSession } from './end-session.ts';
import { deleteSession } from './store.ts';
import { sessionsOf } from './tenant-sessions.ts';

/** Stages the deletion of up to `max` of them; gives whether there are more. Impersonations of the user are among them. */
export function eraseSessions(identity: Identity, work: Work, principal: string, reason: string, max: number): boolean {
  const { registry } = sessionsOf(work.activation);
  const living = registry.livingOf(principal, -Infinity);
  const ended = registry.endedOf(principal);
  const going = living.slice(0, max);
  const ids = [...going, ...ended.slice(0, max - going.length)].map(({ id }) => id);
  for (const session of going) endSession(identity, work, session, reason);
  for (const id of ids) deleteSession(work.turn(), id);
  work.onEnd((newest) => {
    if (newest !== null) for (const id of ids) registry.dropEnded(principal, id);
  });
  return living.length + ended.length > max;
}

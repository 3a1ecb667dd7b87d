/** Ends every way in that a user has open: sessions, impersonations, refresh tokens, mailed links. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { closeImpersonations, closeSessions } from '../session/follow-session.ts';
import { endFamilies } from '../user/end-login.ts';
import { deleteOneTime } from '../user/store.ts';

/** Staged in the work's turn; gives how many sessions ended. Access tokens of a stateless tenant count until they expire, as its contract says. */
export function endAccess(identity: Identity, work: Work, user: string, reason: string): number {
  const ended = endLogins(identity, work, user, reason);
  deleteOneTime(work.turn(), 'reset', user);
  deleteOneTime(work.turn(), 'magic_link', user);
  return ended;
}

/** The same without the mailed links: the user may come in again. */
export function endLogins(identity: Identity, work: Work, user: string, reason: string): number {
  const ended = closeSessions(identity, work, user, reason) + closeImpersonations(identity, work, user, reason);
  endFamilies(identity, work, user, null, reason);
  return ended;
}

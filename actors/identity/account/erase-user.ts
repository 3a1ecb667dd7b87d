/** Deletes a user with all that belongs to it. Keys that the user issued stay: they belong to what uses them, and an administrator revokes them. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { forgetGuest } from '../guest/store.ts';
import type { Identity } from '../identity.ts';
import { deleteTotp } from '../mfa/store.ts';
import { linksReady } from '../oauth/build-links.ts';
import { forgetLinks } from '../oauth/store.ts';
import { forgetPasskeys } from '../passkey/store.ts';
import { eraseSessions } from '../session/erase-sessions.ts';
import { deleteUser, type UserRecord } from '../store.ts';
import { deleteFamily, deleteOneTime, readFamilies } from '../user/store.ts';
import { deleteChange } from './store.ts';

/** Sessions, and logins with up to a hundred used tokens each, that one commit deletes. */
const { eraseSessionsMax, eraseLoginsMax } = limits.account;

/** The user's links are found by an index: settles when it, and `other`, are whole; a new turn begins behind it. */
export async function erasureReady(identity: Identity, work: Work, other: Promise<void> | null = null): Promise<void> {
  const links = linksReady(identity, work.activation);
  if (links === null && other === null) return;
  work.abort();
  await Promise.all([links, other]);
}

/**
 * Stages the end of the user. A user with more logins than a commit takes loses them first, in commits of their own, all in this turn: after a
 * crash among them the user is still there and asks again. Mails that wait end when the courier asks for them.
 */
export function stageErasure(identity: Identity, work: Work, user: UserRecord, reason: string): void {
  eraseAccess(identity, work, user.id, reason);
  forgetGuest(work.turn(), user.id);
  deleteUser(work.turn(), user);
}

/** Stages the end of all by which the user logs in, but the user's row: logins, factors, passkeys, open links. */
export function eraseAccess(identity: Identity, work: Work, user: string, reason: string): void {
  while (eraseLogins(identity, work, user, reason)) work.commit();
  const turn = work.turn();
  deleteTotp(turn, user);
  forgetPasskeys(turn, user);
  forgetLinks(turn, user);
  for (const kind of ['reset', 'magic_link', 'code', 'email_change'] as const) deleteOneTime(turn, kind, user);
  deleteChange(turn, user);
}

/** Stages the end of as many logins as a commit takes; gives whether there are more. */
function eraseLogins(identity: Identity, work: Work, user: string, reason: string): boolean {
  const more = eraseSessions(identity, work, user, reason, eraseSessionsMax);
  const families = readFamilies(work.turn(), user);
  for (const family of families.slice(0, eraseLoginsMax)) deleteFamily(work.turn(), family);
  return more || families.length > eraseLoginsMax;
}

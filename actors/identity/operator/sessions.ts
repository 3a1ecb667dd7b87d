/** `session list` and `session end`: an operator sees and ends a tenant's sessions. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { closeImpersonations, closeSession, closeSessions } from '../session/follow-session.ts';
import { sessionsSeen, type SessionList } from '../session/list-sessions.ts';
import { findUserNamed } from '../store.ts';

const REASON = 'operator';

/** The newest sessions of the work's tenant, or of one of its users, named by login or id. */
export function listTenantSessions(work: Work, { user }: { readonly user: string | null }): SessionList {
  return sessionsSeen(work, user === null ? null : subjectOf(work, user));
}

export interface EndWish {
  readonly id: string | null;
  /** Login or id: ends all sessions of this user, impersonations included. */
  readonly user: string | null;
}

/** Ends one session or all of a user: their tokens stop at once. Throws an error for the operator when there is no such session or user. */
export function endTenantSessions(identity: Identity, work: Work, { id, user }: EndWish): { ended: number } {
  const ended = user === null ? endOne(identity, work, id ?? '') : endAll(identity, work, subjectOf(work, user));
  work.commit();
  return { ended };
}

function endOne(identity: Identity, work: Work, id: string): number {
  if (closeSession(identity, work, id, REASON)) return 1;
  throw new Error(`no session ${id} lives in ${work.activation.position.key}: skep session list shows what does`);
}

function endAll(identity: Identity, work: Work, subject: string): number {
  return closeSessions(identity, work, subject, REASON) + closeImpersonations(identity, work, subject, REASON);
}

function subjectOf(work: Work, user: string): string {
  const found = findUserNamed(work.turn(), user)?.id;
  if (found === undefined) throw new Error(`no user ${user} in ${work.activation.position.key}`);
  return found;
}

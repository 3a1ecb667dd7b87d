/** What refresh, logout and password changes do with the sessions that logins opened. */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Identity } from '../identity.ts';
import { endSession } from './end-session.ts';
import type { LiveSession } from './registry.ts';
import { findSession, putSession, type SessionKind } from './store.ts';
import { sessionsOf } from './tenant-sessions.ts';

/** The living session whose present id, or id at the opening, is this. */
function living(work: Work, id: string): LiveSession | undefined {
  const { registry } = sessionsOf(work.activation);
  const session = registry.find(id) ?? registry.findOrigin(id);
  return session !== undefined && work.activation.context.clock.now() < session.expiresAtMs ? session : undefined;
}

/** The present id of a session by its id at the opening, which a rotation does not change; null when the session has ended. */
export function presentSid(work: Work, opened: string): string | null {
  return living(work, opened)?.id ?? null;
}

/**
 * Stages that a login was refreshed: its session lives until `untilMs` at least; an impersonation is not extended. Gives the present id, for the
 * next access token; null when the session has ended, and the refresh must be refused.
 */
export function renewSession(work: Work, opened: string, untilMs: number): string | null {
  const session = living(work, opened);
  if (session === undefined) return null;
  if (session.kind === 'user' && untilMs > session.expiresAtMs) extend(work, session, untilMs);
  return session.id;
}

function extend(work: Work, session: LiveSession, untilMs: number): void {
  const record = findSession(work.turn(), session.id);
  if (record === undefined) throw new Error(`session ${session.id} lives in memory only`);
  const before = session.expiresAtMs;
  session.lastSeenMs = work.activation.context.clock.now();
  session.expiresAtMs = untilMs;
  putSession(work.turn(), { ...record, expires_at: timestamp(untilMs), last_seen_at: timestamp(session.lastSeenMs) });
  work.onEnd((newest) => {
    if (newest === null) session.expiresAtMs = before;
  });
}

/** Stages the end of a session (a logout); gives whether it lived. */
export function closeSession(identity: Identity, work: Work, id: string, reason: string): boolean {
  const session = living(work, id);
  if (session !== undefined) endSession(identity, work, session, reason);
  return session !== undefined;
}

/** Stages the end of every session that a user opened, as after a change of password, but of no impersonation; gives how many. */
export function closeSessions(identity: Identity, work: Work, principal: string, reason: string): number {
  return closeAll(identity, work, principal, 'user', reason);
}

/** Stages the end of every impersonation of a user; gives how many. */
export function closeImpersonations(identity: Identity, work: Work, principal: string, reason: string): number {
  return closeAll(identity, work, principal, 'impersonation', reason);
}

/** The same but for the session of the present id `sid`, in which the user goes on. */
export function closeOtherSessions(
  identity: Identity,
  work: Work,
  principal: string,
  sid: string | null,
  reason: string,
): number {
  return closeAll(identity, work, principal, 'user', reason, sid);
}

function closeAll(
  identity: Identity,
  work: Work,
  principal: string,
  which: SessionKind,
  reason: string,
  but: string | null = null,
): number {
  const { registry } = sessionsOf(work.activation);
  const living = registry.livingOf(principal, work.activation.context.clock.now());
  const ended = living.filter(({ kind, id }) => kind === which && id !== but);
  for (const session of ended) endSession(identity, work, session, reason);
  return ended.length;
}

/** What login, refresh, logout and password changes ask of sessions that they opened. */
import type { Work } from '#actors/host/work.ts';
import { endSession } from './end-session.ts';
import type { LiveSession } from './registry.ts';
import { sessionsOf } from './tenant-sessions.ts';

function living(work: Work, opened: string): LiveSession | undefined {
  const session = sessionsOf(work.activation).registry.findOrigin(opened);
  return session !== undefined && work.activation.context.clock.now() < session.expiresAtMs ? session : undefined;
}

/**
 * The present id of the session that was opened with the id `opened`, for the next access token; null when it has ended, and a
 * refresh must then be refused. Keep the id of the opening: rotation changes the present one.
 */
export function presentSid(work: Work, opened: string): string | null {
  return living(work, opened)?.id ?? null;
}

/** Stages the end of the session that was opened with the id `opened` (a logout); whether it lived. */
export function closeSession(work: Work, opened: string, reason: string): boolean {
  const session = living(work, opened);
  if (session !== undefined) endSession(work, session, reason);
  return session !== undefined;
}

/** Stages the end of every session of a user, impersonations of him left alone (a password was changed); how many. */
export function closeSessions(work: Work, principal: string, reason: string): number {
  const { registry } = sessionsOf(work.activation);
  const own = registry.livingOf(principal, work.activation.context.clock.now()).filter(({ kind }) => kind === 'user');
  for (const session of own) endSession(work, session, reason);
  return own.length;
}

/** Ends a session before it expires. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Identity } from '../identity.ts';
import type { EndedSession, LiveSession } from './registry.ts';
import { deleteSession, findSession, putSession } from './store.ts';
import { sessionsOf } from './tenant-sessions.ts';

/** Stages the end of a living session. Its tokens stop at once. If the turn is dropped, they are valid again and no event is emitted. */
export function endSession(identity: Identity, work: Work, session: LiveSession, reason: string): void {
  const { registry } = sessionsOf(work.activation);
  const surplus = surplusOf(registry.endedOf(session.principal));
  stage(work, session, reason, surplus);
  registry.remove(session);
  work.onEnd((newest) => {
    if (newest === null) {
      registry.add(session);
      return;
    }
    registry.newest = newest;
    for (const { id } of surplus) registry.dropEnded(session.principal, id);
    registry.addEnded(session.principal, { id: session.id, expiresAtMs: session.expiresAtMs });
    identity.emit(work, 'auth.session.ended', session.id, 'ok', { principal: session.principal, reason });
  });
}

function stage(work: Work, session: LiveSession, reason: string, surplus: readonly EndedSession[]): void {
  const turn = work.turn();
  const record = findSession(turn, session.id);
  if (record === undefined) throw new Error(`session ${session.id} lives in memory only`);
  const revokedAt = timestamp(work.activation.context.clock.now());
  const lastSeenAt = timestamp(session.lastSeenMs);
  putSession(turn, { ...record, last_seen_at: lastSeenAt, revoked_at: revokedAt, reason });
  for (const { id } of surplus) deleteSession(turn, id);
}

/** The oldest ended sessions beyond the bound, when one more is kept. */
function surplusOf(ended: readonly EndedSession[]): readonly EndedSession[] {
  return ended.slice(0, Math.max(0, ended.length + 1 - limits.session.endedPerPrincipalMax));
}

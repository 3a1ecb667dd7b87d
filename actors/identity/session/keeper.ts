/**
 * Writes when sessions were last seen and deletes expired rows: beside the requests, at most once a minute, in small turns.
 * What a crash loses of it is at most the last minute's sights.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Later } from '../last-use.ts';
import type { LiveSession, SessionRegistry } from './registry.ts';
import { deleteSession, findSession, putSession } from './store.ts';
import type { Turn } from './store.ts';

/** Has the registry kept by this activation from now on. */
export function keepSessions(activation: Activation, registry: SessionRegistry, later: Later): void {
  const slice = (): void => {
    if (writeSlice(activation, registry)) later(slice);
  };
  registry.onDue = () => later(slice);
}

/** One turn of it; whether there is more. A store that is full costs the sights, not the sessions: expired rows are met again at wake. */
function writeSlice({ store, context }: Activation, registry: SessionRegistry): boolean {
  const { sliceRows } = limits.session;
  const turn = store.begin();
  try {
    for (const session of registry.takeTouched(sliceRows)) writeSeen(turn, session);
    for (const id of registry.takeExpired(context.clock.now(), sliceRows)) deleteSession(turn, id);
    if (turn.dirty) turn.commit();
  } catch (error) {
    turn.abort();
    context.log.warn({ service: 'identity', error: String(error) }, 'last sight of sessions not written');
    return false;
  }
  return registry.touchedCount > 0 || registry.sweeping;
}

/** A session that ended meanwhile keeps what its end wrote. */
function writeSeen(turn: Turn, session: LiveSession): void {
  const record = findSession(turn, session.id);
  if (record === undefined || record.revoked_at !== null) return;
  putSession(turn, { ...record, last_seen_at: timestamp(session.lastSeenMs) });
}

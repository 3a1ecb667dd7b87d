/**
 * Writes `last_seen_at` of sessions and deletes expired rows: beside the requests, at most once a minute, in small turns. A crash loses the
 * `last_seen_at` of at most one minute.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Later } from '../last-use.ts';
import type { LiveSession, SessionRegistry } from './registry.ts';
import { deleteSession, findSession, putSession, type Turn } from './store.ts';

/** From now on this activation writes for the registry. */
export function keepSessions(activation: Activation, registry: SessionRegistry, later: Later): void {
  const slice = (): void => {
    if (writeSlice(activation, registry)) later(slice);
  };
  registry.onDue = () => later(slice);
}

/** One turn; gives whether there is more. When the store is full, `last_seen_at` is lost, and expired rows are found again at the next wake. */
function writeSlice({ store, context }: Activation, registry: SessionRegistry): boolean {
  const { sliceRows } = limits.session;
  const turn = store.begin();
  try {
    for (const session of registry.takeTouched(sliceRows)) writeSeen(turn, session);
    for (const id of registry.takeExpired(context.clock.now(), sliceRows)) deleteSession(turn, id);
    if (turn.dirty) turn.commit();
  } catch (error) {
    turn.abort();
    context.log.warn(
      { service: 'identity', error: String(error) },
      'last_seen_at of sessions could not be written and is lost; the sessions themselves go on',
    );
    return false;
  }
  return registry.touchedCount > 0 || registry.sweeping;
}

/** Leaves a session that ended meanwhile as its end wrote it. */
function writeSeen(turn: Turn, session: LiveSession): void {
  const record = findSession(turn, session.id);
  if (record === undefined || record.revoked_at !== null) return;
  putSession(turn, { ...record, last_seen_at: timestamp(session.lastSeenMs) });
}

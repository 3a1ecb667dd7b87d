/** Finds the session that a caller names and may change. */
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';
import { mayChange } from './reach.ts';
import type { LiveSession } from './registry.ts';
import { sessionsOf } from './tenant-sessions.ts';

/** One refusal for an unknown session, an ended one and another user's: the answer reveals nothing about other users' sessions. */
export function findOwn(call: Call, caller: Principal, id: string): LiveSession | Refusal<'session_not_found'> {
  const { registry } = sessionsOf(call.activation);
  const session = registry.find(id);
  const lives = session !== undefined && call.activation.context.clock.now() < session.expiresAtMs;
  if (lives && mayChange(caller, session)) return session;
  call.saw(registry.newest); // the refusal may reveal an end: it leaves once that end is durable
  return refuse('session_not_found');
}

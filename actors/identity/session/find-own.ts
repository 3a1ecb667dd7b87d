/** The session that a caller names and may change. */
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';
import { mayChange } from './reach.ts';
import type { LiveSession } from './registry.ts';
import { sessionsOf } from './tenant-sessions.ts';

/** An unknown session, one that has ended and one of somebody else are one answer: nobody learns of others' sessions. */
export function findOwn(call: Call, caller: Principal, id: string): LiveSession | Refusal<'session_not_found'> {
  const { registry } = sessionsOf(call.activation);
  const session = registry.find(id);
  const lives = session !== undefined && call.activation.context.clock.now() < session.expiresAtMs;
  if (lives && mayChange(caller, session)) return session;
  call.saw(registry.newest); // the answer may tell of an end
  return refuse('session_not_found');
}

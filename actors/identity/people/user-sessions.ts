/** `GET` and `DELETE /auth/admin/users/{id}/sessions`, and one of them. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { closeSession } from '../session/follow-session.ts';
import { sessionsSeen } from '../session/list-sessions.ts';
import { sessionsOf } from '../session/tenant-sessions.ts';
import { administratorOf, userNamed, userToChange } from './administrator.ts';
import { endLogins } from './end-access.ts';
import type { peopleRoutes } from './routes.ts';

const REASON = 'administrator';

export function listUserSessions(call: Call): Outcome<typeof peopleRoutes.listUserSessions> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const named = userNamed(call);
  if (isRefusal(named)) return named;
  const { sessions, count } = sessionsSeen(call, named.user.id);
  return reply(200, { sessions: [...sessions], count });
}

/** Ends all sessions, impersonations included, and the refresh tokens of logins without a session. */
export function endUserSessions(identity: Identity, call: Call): Outcome<typeof peopleRoutes.endUserSessions> {
  const named = userToChange(call);
  if (isRefusal(named)) return named;
  return reply(200, { ended: endLogins(identity, call, named.user.id, REASON) });
}

/** One refusal for an unknown session, an ended one and one of another user. */
export function endUserSession(identity: Identity, call: Call): Outcome<typeof peopleRoutes.endUserSession> {
  const named = userToChange(call);
  if (isRefusal(named)) return named;
  const { registry } = sessionsOf(call.activation);
  const id = call.param('session');
  if (registry.find(id)?.principal !== named.user.id || !closeSession(identity, call, id, REASON)) {
    call.saw(registry.newest); // the refusal may reveal an end: it leaves once that end is durable
    return refuse('session_not_found');
  }
  return reply(200, { ended: 1 });
}

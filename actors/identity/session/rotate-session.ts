/** `POST /internal/session/rotate`: a defence against session fixation. Spec: docs/contract/identity-users.md §4.3. */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { callerOf } from './caller.ts';
import { findOwn } from './find-own.ts';
import type { LiveSession } from './registry.ts';
import type { sessionRoutes } from './routes.ts';
import { rotateRequest } from './shapes.ts';
import { deleteSession, findSession, putSession } from './store.ts';
import { sessionsOf } from './tenant-sessions.ts';

type Result = Outcome<typeof sessionRoutes.rotateSession>;

/** Access tokens with the old id stop at once, even the caller's own; the next refresh gives one with the new id. */
export function rotateSession(identity: Identity, call: Call): Result {
  const caller = callerOf(call);
  if (isRefusal(caller)) return caller;
  const body = readBody(call, rotateRequest);
  if (!body.ok) return body.refusal;
  const session = missingPlace(call) ?? findOwn(call, caller, body.value.id);
  if (isRefusal(session)) return session;
  const id = rotate(call, session);
  call.commit();
  identity.emit(call, 'auth.session.rotated', session.id, 'ok', { principal: session.principal, id });
  return reply(200, { id });
}

/** The same session under a new id. */
function rotate(call: Call, session: LiveSession): string {
  const turn = call.turn();
  const record = findSession(turn, session.id);
  if (record === undefined) throw new Error(`session ${session.id} lives in memory only`);
  const id = call.activation.context.ids.next();
  deleteSession(turn, session.id);
  putSession(turn, { ...record, id, last_seen_at: timestamp(session.lastSeenMs) });
  follow(call, session, { ...session, id, touched: false });
  return id;
}

function follow(call: Call, before: LiveSession, after: LiveSession): void {
  const { registry } = sessionsOf(call.activation);
  registry.remove(before);
  registry.add(after);
  call.onEnd((newest) => {
    if (newest !== null) registry.newest = newest;
    else {
      registry.remove(after);
      registry.add(before);
    }
  });
}

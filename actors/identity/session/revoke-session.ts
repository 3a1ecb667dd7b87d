/** `POST /internal/session/revoke`. Spec: docs/contract/identity-users.md §4.1. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { callerOf } from './caller.ts';
import { endSession } from './end-session.ts';
import { findOwn } from './find-own.ts';
import type { sessionRoutes } from './routes.ts';
import { revokeRequest } from './shapes.ts';

type Result = Outcome<typeof sessionRoutes.revokeSession>;

const REASON_DEFAULT = 'revoked';

/** The caller may end the session of its own token. */
export function revokeSession(identity: Identity, call: Call): Result {
  const caller = callerOf(call);
  if (isRefusal(caller)) return caller;
  const body = readBody(call, revokeRequest);
  if (!body.ok) return body.refusal;
  const session = missingPlace(call) ?? findOwn(call, caller, body.value.id);
  if (isRefusal(session)) return session;
  endSession(identity, call, session, body.value.reason ?? REASON_DEFAULT);
  return reply(200, { ok: true });
}

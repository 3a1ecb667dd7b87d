/** The caller of a request, and which callers an endpoint admits (docs/contract/bff.md §3.1: `auth`). */
import type { BffAuth } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { sessionGateOf } from '#actors/kit/session-gate.ts';
import type { SessionGate } from '#actors/kit/session-gate.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

/** What BearerCheck gives. */
export interface Bearers {
  check(authorization: string, position: Position, sessions: SessionGate): Principal | null;
}

const unauthorized = (): Refusal<'bff.unauthorized'> =>
  refuse('bff.unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });

/** The caller, null without a credential, or 401 for a credential that does not count here. */
export function authenticate(call: Call, bearers: Bearers): Principal | null | Refusal {
  if (call.authorization === '') return null;
  const { parts, position } = call.activation;
  const sessions = sessionGateOf(parts);
  const principal = bearers.check(call.authorization, position, sessions);
  if (principal !== null) return principal;
  call.saw(sessions.newest); // a session may have ended a moment ago
  return unauthorized();
}

/** Null for a caller that is admitted; superadmins always are. */
export function refuseCaller(
  auth: BffAuth,
  principal: Principal | null,
): Refusal<'bff.unauthorized' | 'bff.forbidden'> | null {
  if (auth === 'public') return null;
  if (principal === null) return unauthorized();
  return principal.superadmin || principal.type === auth ? null : refuse('bff.forbidden', { details: { auth } });
}

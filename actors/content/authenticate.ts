/** The caller: a bearer token's, or an anonymous one. Rules decide what either may do. */
import type { Call } from '#actors/host/call.ts';
import { sessionGateOf } from '#actors/kit/session-gate.ts';
import type { SessionGate } from '#actors/kit/session-gate.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { refuse } from './refusals.ts';

/** What BearerCheck gives. */
export interface Bearers {
  check(authorization: string, position: Position, sessions: SessionGate): Principal | null;
}

/** The caller, null without a credential, or 401 for a credential that does not count here. */
export function authenticate(call: Call, bearers: Bearers): Principal | null | Refusal {
  if (call.authorization === '') return null;
  const { parts, position } = call.activation;
  const sessions = sessionGateOf(parts);
  const principal = bearers.check(call.authorization, position, sessions);
  if (principal !== null) return mayTouch(call.route.row, principal) ? principal : refuse('content.forbidden');
  call.saw(sessions.newest); // a session may have ended a moment ago
  return refuse('content.unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** A read-only impersonation is kept out of rows that change something. */
function mayTouch({ callers }: RouteRow, { readonly }: Principal): boolean {
  return !readonly || !callers.touches;
}

/** What the services of tenants do alike: they ask which principal a bearer token stands for at the tenant's position. */
import { NO_SESSIONS, type SessionGate } from '#actors/kit/session-gate.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Activation, Context } from './activation.ts';
import type { Call } from './call.ts';
import { Part } from './part.ts';

/** What identity says of a tenant's sessions. */
export const SESSION_GATE = new Part<SessionGate>('session gate');

export function sessionGateOf(activation: Activation): SessionGate {
  return SESSION_GATE.find(activation) ?? NO_SESSIONS;
}

/** What BearerCheck gives: the principal that a header stands for at a position, or null. */
export interface Bearers {
  check(authorization: string, position: Position, sessions: SessionGate): Principal | null;
}

/**
 * The principal of a call's `Authorization` header, or null: its credential does not count here. That it does not may follow from
 * the end of a session, so the refusal leaves no earlier than this end is durable.
 */
export type BearerOf = (call: Call) => Principal | null;

/** `make` is asked once for each context: what it makes has a cache, which is what makes it cheap. */
export function bearerOfCalls(make: (context: Context) => Bearers): BearerOf {
  const checks = new WeakMap<Context, Bearers>();
  return (call) => {
    const { context } = call.activation;
    let bearers = checks.get(context);
    if (bearers === undefined) checks.set(context, (bearers = make(context)));
    return principalOf(call, bearers);
  };
}

/** As `BearerOf`, by a check that the service holds itself. */
export function principalOf(call: Call, bearers: Bearers): Principal | null {
  const sessions = sessionGateOf(call.activation);
  const principal = bearers.check(call.authorization, call.activation.position, sessions);
  if (principal === null) call.saw(sessions.newest);
  return principal;
}

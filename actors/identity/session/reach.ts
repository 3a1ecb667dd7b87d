/** The sessions that a caller may see and change (docs/contract/identity-users.md §4): superadmin and tenant_admin the tenant's, a user its own. Pure. */
import type { Principal } from '#actors/protocol/principal.ts';
import type { LiveSession } from './registry.ts';

/** Whether the caller may see and end all sessions of the tenant. A token is valid at its own position only, so this is the caller's tenant. */
export function isOverseer(caller: Principal): boolean {
  return caller.superadmin || caller.roles.includes('tenant_admin');
}

/** Whether the caller may see the sessions of `principal`. An impersonation has the user as its principal, so user and operator see it. */
export function maySee(caller: Principal, principal: string): boolean {
  return principal === caller.subject || isOverseer(caller);
}

/** Whether the caller may end or rotate a session. An impersonation may change itself only, not the user's own sessions. */
export function mayChange(caller: Principal, session: LiveSession): boolean {
  return caller.actor === null ? maySee(caller, session.principal) : session.id === caller.sid;
}

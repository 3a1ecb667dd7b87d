/** Who may do what with which session. Spec: docs/contract/identity-users.md §4: a superadmin, a tenant_admin for his tenant, a user for his own. Pure. */
import type { Principal } from '#actors/protocol/principal.ts';
import type { LiveSession } from './registry.ts';

/** Whether the caller is above the tenant's sessions. A token counts at its own position only, so "his tenant" is where he asks. */
export function isOverseer(caller: Principal): boolean {
  return caller.superadmin || caller.roles.includes('tenant_admin');
}

/** Whether the caller may know of the sessions of `principal`. An impersonation has the user as its principal, so both see it. */
export function maySee(caller: Principal, principal: string): boolean {
  return principal === caller.subject || isOverseer(caller);
}

/** Whether the caller may end or rotate a session. Who impersonates acts on the impersonation only: the user's own sessions are not his. */
export function mayChange(caller: Principal, session: LiveSession): boolean {
  return caller.actor === null ? maySee(caller, session.principal) : session.id === caller.sid;
}

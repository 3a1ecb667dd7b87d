/** Work with the rights of one role of the product, in the name of the caller that causes it (docs/contract/data-behaviour.md §4). */
import type { Principal } from '#actors/protocol/principal.ts';
import { sessionWith, type Session } from './session.ts';

const known = new WeakMap<Principal, Map<string, Principal>>();

/**
 * The caller with one role and no other right: no superadmin, no grants, and not the node itself. A read-only impersonation stays one. Made
 * once for each caller and role, as answers of rules are kept by principal.
 */
export function asRole(caller: Principal, role: string): Principal {
  let made = known.get(caller);
  if (made === undefined) known.set(caller, (made = new Map()));
  let principal = made.get(role);
  if (principal === undefined) {
    const type = caller.type === 'internal' ? 'service' : caller.type;
    principal = { ...caller, type, roles: [role], scope: [], superadmin: false };
    made.set(role, principal);
  }
  return principal;
}

/** The session with these rights. */
export function sessionAsRole(base: Session, role: string): Session {
  const principal = asRole(base.principal, role);
  return sessionWith(base, { principal, model: (entity) => base.model(entity)?.whole.seenBy(principal) });
}

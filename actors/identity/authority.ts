/** Which roles and grants an issuer may give to a key. Spec: docs/contract/identity.md §4.4. Pure. */
import { isOperatorRole } from '#config/definitions/roles-section.ts';
import { grantCovers, parseGrant, type Grant } from '#actors/kit/grant.ts';
import { CONTROL_PLANE, operatorPlaneOf, type Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Capabilities } from './shapes.ts';

const ANY = '*';

type Rung = (position: Position) => Grant;

const ownTenant: Rung = ({ customer, product, env, tenant }) => ({ customer, env, product, tenant });

/** The permissions of each role; a role that is not listed grants nothing. */
const LADDER: ReadonlyMap<string, Rung> = new Map<string, Rung>([
  ['platform_admin', () => ({ customer: ANY, env: ANY, product: ANY, tenant: ANY })],
  ['customer_admin', ({ customer }) => ({ customer, env: ANY, product: ANY, tenant: ANY })],
  ['product_admin', ({ customer, product }) => ({ customer, env: ANY, product, tenant: ANY })],
  ['env_admin', ({ customer, product, env }) => ({ customer, env, product, tenant: ANY })],
  ['tenant_admin', ownTenant],
  ['tenant_user', ownTenant],
  ['tenant_viewer', ownTenant],
]);

/** The issuer's CEPT permissions at the request's position, from its roles. */
function permissionsOf(roles: readonly string[], position: Position): Grant[] {
  const permissions: Grant[] = [];
  for (const role of roles) {
    const rung = LADDER.get(role);
    if (rung !== undefined) permissions.push(rung(position));
  }
  return permissions;
}

/** Null when the issuer may confer the capabilities, else a message that begins with the field that exceeds its authority. */
export function exceededChannel(issuer: Principal, position: Position, wish: Capabilities): string | null {
  const role = wish.roles?.find((role) => !mayConfer(issuer, position, role));
  if (role !== undefined) return `roles: the issuer does not hold "${role}"${issuer.superadmin ? FARTHER : ''}`;
  const grant = uncoveredGrant(permissionsOf(issuer.roles, position), wish.scope ?? []);
  if (grant !== undefined) return `scope: no permission of the issuer covers "${grant}"`;
  // Only a key carries the is_superadmin claim: a bearer's superadmin role does not count here.
  if (wish.is_superadmin === true && !(issuer.type === 'key' && issuer.superadmin))
    return 'is_superadmin: only an issuer with the is_superadmin claim may set it';
  return null;
}

const FARTHER = ', which reaches farther than the plane in which the issuer is a superadmin';

/**
 * Whether the issuer holds the role, or is a superadmin of a plane beyond which the role does not reach. Otherwise a tenant's superadmin could
 * issue a key with `platform_admin`, and that key another one with a grant over every customer.
 */
function mayConfer(issuer: Principal, position: Position, role: string): boolean {
  if (issuer.roles.includes(role)) return true;
  const rung = LADDER.get(role);
  return issuer.superadmin && (rung === undefined || grantCovers(planeOf(position), rung(position)));
}

/**
 * Whether an administrator of the position may give the role to a user there: nothing that reaches beyond the position, and never a role of
 * operators. What a product's own roles allow is decided in this tenant, which the administrator may do as a whole.
 */
export function mayAssign(caller: Principal, position: Position, role: string): boolean {
  if (isOperatorRole(role)) return false;
  const rung = LADDER.get(role);
  if (rung === undefined || caller.superadmin) return true;
  return permissionsOf(caller.roles, position).some((permission) => grantCovers(permission, rung(position)));
}

/** The first role of a user by which it is an operator of more than the administrator may give: such a user is not the administrator's to change. */
export function roleBeyond(caller: Principal, position: Position, roles: readonly string[]): string | undefined {
  return roles.find((role) => isOperatorRole(role) && !mayConfer(caller, position, role));
}

/** The plane of a superadmin at the position, as a grant (actors/protocol/reach.ts). */
function planeOf(position: Position): Grant {
  const { customer, product, env } = position;
  if (position.key === CONTROL_PLANE) return { customer: ANY, env: ANY, product: ANY, tenant: ANY };
  return position.key === operatorPlaneOf(position) ? { customer, env, product, tenant: ANY } : ownTenant(position);
}

function uncoveredGrant(permissions: readonly Grant[], scope: readonly string[]): string | undefined {
  return scope.find((text) => {
    const grant = parseGrant(text);
    return grant === null || !permissions.some((permission) => grantCovers(permission, grant));
  });
}

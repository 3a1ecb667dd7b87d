/** Who may call what of the admin plane: a class for each row, a gate for each class (data.md "Authentication"). */
import type { Principal } from '#actors/protocol/principal.ts';
import type { RouteRow } from '#actors/protocol/route.ts';

export type AdminClass = 'Read' | 'Generate' | 'Apply' | 'Seed' | 'Retention' | 'Locks' | 'Maintenance';

/** A row of the admin plane. `superadmin` is the class of the whole superadmin plane. */
export interface AdminRow extends RouteRow {
  readonly class: AdminClass;
}

type Gate = 'admin' | 'superadmin';

const GATES: Readonly<Record<AdminClass, Gate>> = {
  Read: 'admin',
  Generate: 'admin',
  Seed: 'admin',
  Maintenance: 'admin',
  Apply: 'superadmin',
  Retention: 'superadmin',
  Locks: 'superadmin',
};

/** Provisioning seeds a tenant's first administrator with the second of these names. */
const ADMINS: ReadonlySet<string> = new Set(['admin', 'tenant_admin']);

export function isSuperadmin({ superadmin, roles }: Principal): boolean {
  return superadmin || roles.some((role) => role.toLowerCase() === 'superadmin');
}

/** An administrator of the tenant, or a superadmin. Roles are compared without case. */
export function isAdmin(principal: Principal): boolean {
  return isSuperadmin(principal) || principal.roles.some((role) => ADMINS.has(role.toLowerCase()));
}

/** The refusal that a caller of a class gets, or null when he may pass. Who impersonates to look may look. */
export function refusedBy(
  of: AdminClass,
  principal: Principal | null,
): 'v2.requires_admin' | 'v2.requires_superadmin' | null {
  const gate = GATES[of];
  const mayTouch = of === 'Read' || principal?.readonly === false;
  const passes = principal !== null && mayTouch && (gate === 'admin' ? isAdmin(principal) : isSuperadmin(principal));
  if (passes) return null;
  return gate === 'admin' ? 'v2.requires_admin' : 'v2.requires_superadmin';
}

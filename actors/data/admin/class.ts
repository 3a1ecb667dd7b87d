/** Who may call what of the admin and superadmin planes: a class for each row, its callers for each class (docs/contract/data-admin.md §1). */
import { callers } from '#actors/protocol/callers.ts';
import type { Callers, Rule } from '#actors/protocol/callers.ts';
import type { Principal } from '#actors/protocol/principal.ts';

export type AdminClass = 'Read' | 'Generate' | 'Apply' | 'Seed' | 'Retention' | 'Locks' | 'Maintenance';

/** Provisioning seeds a tenant's first administrator with the second of these names. */
const ADMINS = ['admin', 'tenant_admin'];
const SUPERADMIN = ['superadmin'];

/** An administrator of the tenant, or a superadmin; roles are compared without case. */
const administrators = (wish: Partial<Rule>): Callers =>
  callers({ users: [{ roles: [...ADMINS, ...SUPERADMIN], anyCase: true, ...wish }] });
const superadmins = (wish: Partial<Rule>): Callers =>
  callers({ users: [{ roles: SUPERADMIN, anyCase: true, ...wish }] });

const changing = { impersonation: 'full' } as const;

/** Of the tenant in the headers. Who impersonates to look may look. */
export const CLASSES: Readonly<Record<AdminClass, Callers>> = {
  Read: administrators({ impersonation: 'readonly' }),
  Generate: administrators(changing),
  Seed: administrators(changing),
  Maintenance: administrators(changing),
  Apply: superadmins(changing),
  Retention: superadmins(changing),
  Locks: superadmins(changing),
};

/** The superadmin plane: of the tenant in the path. An impersonation is no superadmin there: that power is never borrowed. */
export const OVERSEERS = superadmins({ from: 'at or over' });
/** Who lists the tenants over which the position is. */
export const LISTERS = superadmins({});

/** An administrator of the tenant, or a superadmin, as endpoints with `auth: admin` have it. */
export function isAdmin({ superadmin, roles }: Principal): boolean {
  return superadmin || roles.some((role) => ADMINS.includes(role.toLowerCase()) || role.toLowerCase() === 'superadmin');
}

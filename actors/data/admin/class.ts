/** Callers of the admin and superadmin planes: each row has a class, each class its callers (docs/contract/data-admin.md §1). */
import { callers, type Callers, type Rule } from '#actors/protocol/callers.ts';
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

/** Callers about the tenant in the headers. A read-only impersonation may only read. */
export const CLASSES: Readonly<Record<AdminClass, Callers>> = {
  Read: administrators({ impersonation: 'readonly' }),
  Generate: administrators(changing),
  Seed: administrators(changing),
  Maintenance: administrators(changing),
  Apply: superadmins(changing),
  Retention: superadmins(changing),
  Locks: superadmins(changing),
};

/** Callers of the superadmin plane, about the tenant in the path. No impersonation counts there, not even one of a superadmin. */
export const OVERSEERS = superadmins({ from: 'at or over' });
/** Callers who may list the tenants at and below their position. */
export const LISTERS = superadmins({});

/** Whether a principal is an administrator of the tenant or a superadmin: what endpoints with `auth: admin` require. */
export function isAdmin({ superadmin, roles }: Principal): boolean {
  return superadmin || roles.some((role) => ADMINS.includes(role.toLowerCase()) || role.toLowerCase() === 'superadmin');
}

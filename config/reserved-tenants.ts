/** Tenant segments that name planes, never a product's tenant. Source: docs/contract/common.md §1.3. */
export const RESERVED_TENANTS = { operatorPlane: 'superadmin', sharedPlane: 'shared' } as const;

/** Whether a tenant segment is reserved. */
export function isReservedTenant(segment: string): boolean {
  return segment === RESERVED_TENANTS.operatorPlane || segment === RESERVED_TENANTS.sharedPlane;
}

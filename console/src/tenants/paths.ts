/** Addresses of tenants at the control plane. Pure. */
export const tenantAddress = (key: string): string => `/tenants/${key.replaceAll(':', '/')}`;
export const tenantUpkeepPath = (key: string): string => `${tenantAddress(key)}/upkeep`;

/** The audit log of a tenant, as its page has it in its address. */
export const logOf = (key: string): string => `tenant/${key.replaceAll(':', '/')}`;

/** Addresses of tenants at the control plane. Pure. */
export const tenantAddress = (key: string): string => `/tenants/${key.replaceAll(':', '/')}`;

/** The audit log of a tenant, as its page has it in its address. */
export const logOf = (key: string): string => `tenant/${key.replaceAll(':', '/')}`;

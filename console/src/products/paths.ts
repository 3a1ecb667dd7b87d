/** Addresses of products at the control plane, and the logs that say what was done to them. Pure. */

/** A product runs in an environment of a customer: `customer:product:env`. */
export const productAddress = (key: string): string => `/products/${key.replaceAll(':', '/')}`;

/** The log of the operator plane over a product's tenants: who sent, planned and applied revisions by a key of deploys. */
export const planeLogOf = (key: string): string => `tenant/${key.replaceAll(':', '/')}/superadmin`;

export const productOf = (tenantKey: string): string => tenantKey.split(':').slice(0, 3).join(':');

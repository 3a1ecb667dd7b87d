/** The CEPT position: customer, product, env, tenant. Spec: identity.md "What the service does"; DESIGN §6. */

export interface Position {
  readonly customer: string;
  readonly product: string;
  readonly env: string;
  readonly tenant: string;
  /** `customer:product:env:tenant`. */
  readonly key: string;
}

const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,62}$/;
export const CONTROL_PLANE = 'superadmin:superadmin:superadmin:superadmin';

export function isSegment(text: string): boolean {
  return SEGMENT.test(text);
}

/** A position from its four segments, or null when one is malformed. */
export function positionOf(customer: string, product: string, env: string, tenant: string): Position | null {
  if (!isSegment(customer) || !isSegment(product) || !isSegment(env) || !isSegment(tenant)) return null;
  return { customer, product, env, tenant, key: `${customer}:${product}:${env}:${tenant}` };
}

/** A position from `customer:product:env:tenant`, or null. */
export function parsePosition(key: string): Position | null {
  const [customer, product, env, tenant, more] = key.split(':');
  if (tenant === undefined || more !== undefined) return null;
  return positionOf(customer!, product!, env!, tenant);
}

/** The CEPT position: customer, product, env, tenant. Spec: docs/contract/common.md §1.1, §1.2. */

import { RESERVED_TENANTS, isReservedTenant } from '#config/reserved-tenants.ts';

export interface Position {
  readonly customer: string;
  readonly product: string;
  readonly env: string;
  readonly tenant: string;
  /** `customer:product:env:tenant`. */
  readonly key: string;
}

const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,62}$/;
/** The same as text, for documents. */
export const SEGMENT_PATTERN = SEGMENT.source;
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

/** The name of a tenant's audit log: `tenant/<customer>/<product>/<env>/<tenant>` (docs/contract/audit.md §2.3). */
export function tenantLogId({ customer, product, env, tenant }: Position): string {
  return `tenant/${customer}/${product}/${env}/${tenant}`;
}

/** The position of the tenant whose audit log it is, null for a log of the node or of the vault. */
export function positionOfLog(logId: string): Position | null {
  const [kind, ...segments] = logId.split('/');
  return kind === 'tenant' ? parsePosition(segments.join(':')) : null;
}

/** Whether the position is a plane: the control plane, an operator plane or a shared one (docs/contract/common.md §1.3). */
export function isPlane(position: Position): boolean {
  return isReservedTenant(position.tenant);
}

/** The key of the plane in which a tenant's operators live: `<customer>:<product>:<env>:superadmin`. */
export function operatorPlaneOf({ customer, product, env }: Position): string {
  return `${customer}:${product}:${env}:${RESERVED_TENANTS.operatorPlane}`;
}

/** The key of the shared plane beside a tenant: `<customer>:<product>:<env>:shared`. */
export function sharedPlaneOf({ customer, product, env }: Position): string {
  return `${customer}:${product}:${env}:${RESERVED_TENANTS.sharedPlane}`;
}

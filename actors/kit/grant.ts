/** Grants: four colon-separated segments, written customer:env:product:tenant; `*` is a wildcard (docs/contract/identity.md §2.2). */
import { isSegment, type Position } from '#actors/protocol/position.ts';

/** Segments by name: comparison never goes by place (docs/contract/common.md §1.2). */
export interface Grant {
  readonly customer: string;
  readonly env: string;
  readonly product: string;
  readonly tenant: string;
}

const isGrantSegment = (text: string): boolean => text === '*' || isSegment(text);

/** A grant from its text, or null when it does not have four segments that are each `*` or a position segment. */
export function parseGrant(text: string): Grant | null {
  const [customer, env, product, tenant, more] = text.split(':');
  if (tenant === undefined || more !== undefined) return null;
  if (!isGrantSegment(customer!) || !isGrantSegment(env!) || !isGrantSegment(product!) || !isGrantSegment(tenant))
    return null;
  return { customer: customer!, env: env!, product: product!, tenant };
}

/** A wildcard segment covers anything, a concrete one covers only itself, never `*` (docs/contract/identity.md §4.4). */
const covers = (wide: string, narrow: string): boolean => wide === '*' || wide === narrow;

/** Whether `wide` covers `narrow` segment by named segment; a position counts as a grant without wildcards. */
export function grantCovers(wide: Grant, narrow: Grant | Position): boolean {
  return (
    covers(wide.customer, narrow.customer) &&
    covers(wide.env, narrow.env) &&
    covers(wide.product, narrow.product) &&
    covers(wide.tenant, narrow.tenant)
  );
}

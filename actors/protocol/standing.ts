/**
 * How a tenant stands with its operators, apart from the state of its life: it serves, or it is suspended, or it is read-only.
 * Spec: docs/contract/tenants.md §1.
 */
import { doorRefusals } from './door-refusals.ts';
import { refuserOf, type Refusal } from './refusal.ts';
import type { RouteRow } from './route.ts';

export const STANDINGS = ['suspended', 'read-only'] as const;
export type Standing = (typeof STANDINGS)[number];

const refuse = refuserOf(doorRefusals);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The refusal of whatever a suspended tenant asks. */
export const refuseSuspended = (): Refusal => refuse('tenant_suspended');

/** The refusal of a call that writes to a read-only tenant. */
export const refuseReadOnly = (): Refusal => refuse('tenant_read_only');

/**
 * The refusal of a request by the standing of its tenant, or null. Of a read-only tenant a verb that writes is refused before its body
 * is read, unless the row says that its requests may only read; what such a request writes after all is refused at its commit (actors/host/read-only.ts).
 */
export function refusedByStanding(
  standing: Standing,
  row: Pick<RouteRow, 'whileReadOnly'>,
  verb: string,
): Refusal | null {
  if (standing === 'suspended') return refuseSuspended();
  return READS.has(verb) || row.whileReadOnly === true ? null : refuseReadOnly();
}

/** Why a request has no tenant, in identity's own words (DESIGN §4; identity.md "Errors", operational errors). */
import type { Call } from '#actors/host/call.ts';
import { MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

/** `no_tenant` (400) without a position. */
export function missingPlace(call: Call): Refusal<'no_tenant'> | null {
  return call.tenant === null && call.tenantNo === NO_POSITION ? refuse('no_tenant') : null;
}

/** `invalid tenant` for a position that names no configured tenant, `engine_unavailable` for a tenant that is not active. */
export function unusablePlace(call: Call): Refusal<'invalid tenant' | 'engine_unavailable'> | null {
  if (call.tenant !== null || call.tenantNo === NO_POSITION) return null;
  const unknown = call.tenantNo === MALFORMED_POSITION || call.tenantNo === UNKNOWN_POSITION;
  return refuse(unknown ? 'invalid tenant' : 'engine_unavailable');
}

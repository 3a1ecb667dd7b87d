/** Refusals of a request without a tenant, as identity has them (docs/contract/common.md §3.3, docs/contract/identity.md §6.5). */
import type { Call } from '#actors/host/call.ts';
import { MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

/** `no_tenant` (400) without a position. */
export function missingPlace(call: Call): Refusal<'no_tenant'> | null {
  return call.tenant === null && call.tenantNo === NO_POSITION ? refuse('no_tenant') : null;
}

/**
 * 403 for a login at a tenant that is not active, as on data. The routes that the contract's table gives to keys answer `engine_unavailable`
 * there (`unusablePlace`); for logins that 500 would report a fault of the server and alert an operator for nothing.
 */
export function inactivePlace(call: Call): Refusal<'invalid tenant' | 'tenant_inactive'> | null {
  if (call.tenant !== null || call.tenantNo === NO_POSITION) return null;
  return refuse(isUnknown(call) ? 'invalid tenant' : 'tenant_inactive');
}

/** `invalid tenant` for a position that names no configured tenant, `engine_unavailable` for a tenant that is not active. */
export function unusablePlace(call: Call): Refusal<'invalid tenant' | 'engine_unavailable'> | null {
  if (call.tenant !== null || call.tenantNo === NO_POSITION) return null;
  return refuse(isUnknown(call) ? 'invalid tenant' : 'engine_unavailable');
}

const isUnknown = ({ tenantNo }: Call): boolean => tenantNo === MALFORMED_POSITION || tenantNo === UNKNOWN_POSITION;

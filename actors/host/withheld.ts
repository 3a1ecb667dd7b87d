/** Calls of a tenant whose definitions cannot be used: only services that need none of them answer. */
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Call } from './call.ts';
import type { Service } from './service.ts';

/** Null for a call that is answered. The reason is in the operator's log only: a caller could not mend it. */
export function withheldFrom(service: Service, call: Call): Refusal | null {
  if (call.tenant?.withheld === undefined || service.needsNoDefinitions === true) return null;
  const message = "the tenant's definitions cannot be used: only its identity answers until they are mended";
  return { ...service.unavailable(call, 'overloaded'), message };
}

/** Who sees the node: a superadmin of the control plane, and no other caller. Spec: docs/contract/node.md §1. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { challenge, refuse } from '../refusals.ts';

/**
 * Null where the caller may see the node. An API key does not stand in for a bearer here, as on the registry's routes, and whatever it may do: a key lives in
 * files of programs, and what the node shows names every tenant.
 */
export function refusedOutsider(call: Call): Refusal<'auth_required' | 'no_tenant' | 'requires_superadmin'> | null {
  const principal = principalOf(call);
  if (principal.type === 'key') return challenge('auth_required');
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  return admits(call.route.row.callers, principal, null) ? null : refuse('requires_superadmin');
}

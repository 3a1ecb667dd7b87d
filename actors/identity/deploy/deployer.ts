/** The one permission of a deploy: a role of keys in the operator plane of a product. Spec: docs/contract/platform.md §1.10. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { isPlane, positionOf, type Position } from '#actors/protocol/position.ts';
import type { Callers } from '#actors/protocol/callers.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { DEPLOYER } from '#config/deployer-role.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';

/**
 * Whether a key is one for deploys and the route none of theirs. Such a key counts nowhere else, whatever other roles it has: it issues no key,
 * revokes none and is exchanged for no token, so it reads nothing.
 */
export function isOutOfBounds({ type, roles }: Principal, { keys }: Callers): boolean {
  return type === 'key' && roles.includes(DEPLOYER) && keys?.roles?.includes(DEPLOYER) !== true;
}

type Denied = Refusal<'no_tenant' | 'deploy_denied'>;

/** Null where the caller may deploy to the product whose operator plane the headers name. */
export function refusedDeployer(call: Call, target: Position | null = null): Denied | null {
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const about = target ?? call.activation.position;
  return admits(call.route.row.callers, principalOf(call), about) ? null : refuse('deploy_denied');
}

/** The tenant that the path names: of the same customer, product and environment as the plane, and no plane. */
export function targetOf(call: Call): Position | Denied | Refusal<'unknown_tenant'> {
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const { customer, product, env } = call.activation.position;
  const target = positionOf(customer, product, env, call.param('tenant'));
  const denied = refusedDeployer(call, target);
  if (denied !== null) return denied;
  return target === null || isPlane(target) ? refuse('unknown_tenant') : target;
}

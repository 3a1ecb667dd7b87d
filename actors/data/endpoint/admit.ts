/** Which callers an endpoint admits (docs/contract/data-behaviour.md §3.1: `auth`). Superadmins pass everywhere. */
import type { EndpointAuth } from '#config/definitions/product.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { isAdmin } from '../admin/class.ts';
import { refuse } from '../refusals.ts';

/** Null where the caller is admitted, else 401 or 403. `principal` is null where the request has no credential. */
export function refuseCaller(
  auth: EndpointAuth,
  principal: Principal | null,
): Refusal<'v2.unauthenticated' | 'v2.forbidden'> | null {
  if (auth === 'public') return null;
  if (principal === null) return refuse('v2.unauthenticated');
  return isAdmitted(auth, principal) ? null : refuse('v2.forbidden', { details: { auth } });
}

function isAdmitted(auth: Exclude<EndpointAuth, 'public'>, principal: Principal): boolean {
  if (principal.superadmin) return true;
  switch (auth) {
    case 'user':
    case 'service':
      return principal.type === auth;
    case 'admin':
      return isAdmin(principal);
    case 'superadmin':
      return false;
  }
}

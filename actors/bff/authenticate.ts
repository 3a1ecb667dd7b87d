/** The caller of a request, and which callers an endpoint admits (docs/contract/bff.md §3.1: `auth`). */
import type { BffAuth } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import type { BearerOf } from '#actors/host/service-kit.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

/** The caller, null without a credential, or 401 for a credential that does not count here. */
export function authenticate(call: Call, bearerOf: BearerOf): Principal | null | Refusal {
  if (call.authorization === '') return null;
  return bearerOf(call) ?? refuse('bff.unauthorized');
}

/** Null for a caller that is admitted; superadmins always are. */
export function refuseCaller(
  auth: BffAuth,
  principal: Principal | null,
): Refusal<'bff.unauthorized' | 'bff.forbidden'> | null {
  if (auth === 'public') return null;
  if (principal === null) return refuse('bff.unauthorized');
  return principal.superadmin || principal.type === auth ? null : refuse('bff.forbidden', { details: { auth } });
}

/** The caller: a bearer token's, or an anonymous one. Rules decide what either may do. */
import type { Call } from '#actors/host/call.ts';
import type { BearerOf } from '#actors/host/service-kit.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { refuse } from './refusals.ts';

/** The caller, null without a credential where the row takes that, or 401 for a credential that does not count here. */
export function authenticate(call: Call, bearerOf: BearerOf): Principal | null | Refusal {
  if (call.authorization === '') return call.route.row.callers.anonymous ? null : refuse('content.unauthorized');
  const principal = bearerOf(call);
  if (principal === null) return refuse('content.unauthorized');
  return mayTouch(call.route.row, principal) ? principal : refuse('content.forbidden');
}

/** A read-only impersonation is kept out of rows that change something. */
function mayTouch({ callers }: RouteRow, { readonly }: Principal): boolean {
  return !readonly || !callers.touches;
}

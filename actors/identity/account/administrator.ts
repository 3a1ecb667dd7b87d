/** The administrator behind a call of the routes of invitations. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';
import { accountsOf } from './rules.ts';

/** Position, authority, section of the product, in this order: a stranger learns nothing of the product. */
export function administratorOf(call: Call): Principal | Refusal<'no_tenant' | 'invitation_denied' | 'no_accounts'> {
  const principal = principalOf(call);
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  if (!admits(call.route.row.callers, principal, null)) return refuse('invitation_denied');
  const rules = accountsOf(call.activation);
  return isRefusal(rules) ? rules : principal;
}

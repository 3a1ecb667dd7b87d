/** The user behind a call of `/auth/me`. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser } from '../store.ts';
import type { UserRecord } from '../store.ts';
import { accountsOf } from './rules.ts';
import type { Rules } from './rules.ts';

export interface Own {
  readonly kind: 'own';
  readonly user: UserRecord;
  readonly principal: Principal;
  readonly rules: Rules;
}

/** Caller, position, section of the product, user, in this order. The user of a token may be gone or disabled: a token without a session outlives both. */
export function ownAccount(
  call: Call,
): Own | Refusal<'auth_required' | 'account_denied' | 'no_tenant' | 'no_accounts' | 'invalid_token'> {
  const principal = principalOf(call);
  if (!admits(call.route.row.callers, principal, null))
    return principal.type === 'key' ? challenge('auth_required') : refuse('account_denied');
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const rules = accountsOf(call.activation);
  if (isRefusal(rules)) return rules;
  const user = findUser(call.turn(), principal.subject);
  if (user === undefined || user.disabled_at !== undefined) return challenge('invalid_token');
  call.involve({ target: user.id });
  return { kind: 'own', user, principal, rules };
}

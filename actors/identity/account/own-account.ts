/** The user behind a call of `/auth/me`. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { accountsOf, type Rules } from './rules.ts';

export interface Own {
  readonly kind: 'own';
  readonly user: UserRecord;
  readonly principal: Principal;
  readonly rules: Rules;
}

/** The same where the product's section of accounts does not matter. */
export type OwnUser = Omit<Own, 'rules'>;

type NotOwn = Refusal<'auth_required' | 'account_denied' | 'no_tenant' | 'invalid_token'>;

/** Caller, position, section of the product, user, in this order. */
export function ownAccount(call: Call): Own | NotOwn | Refusal<'no_accounts'> {
  const principal = ownCaller(call);
  if (isRefusal(principal)) return principal;
  const rules = accountsOf(call.activation);
  if (isRefusal(rules)) return rules;
  const own = userOf(call, principal);
  return isRefusal(own) ? own : { ...own, rules };
}

export function ownUser(call: Call): OwnUser | NotOwn {
  const principal = ownCaller(call);
  return isRefusal(principal) ? principal : userOf(call, principal);
}

function ownCaller(call: Call): Principal | Refusal<'auth_required' | 'account_denied' | 'no_tenant'> {
  const principal = principalOf(call);
  if (admits(call.route.row.callers, principal, null)) return missingPlace(call) ?? principal;
  return principal.type === 'key' ? challenge('auth_required') : refuse('account_denied');
}

/** The user of a token may be gone or disabled: a token without a session outlives both. */
function userOf(call: Call, principal: Principal): OwnUser | Refusal<'invalid_token'> {
  const user = findUser(call.turn(), principal.subject);
  if (user === undefined || user.disabled_at !== undefined) return challenge('invalid_token');
  call.involve({ target: user.id });
  return { kind: 'own', user, principal };
}

/** The person behind a call of the session routes. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { principalOf } from '../identity.ts';
import { challenge, refuse } from '../refusals.ts';

/** The user of a call; `auth_required` for a key (docs/contract/identity.md §4.2 says where one is taken), `session_denied` for a service token. */
export function callerOf(call: Call): Principal | Refusal<'auth_required' | 'session_denied'> {
  const principal = principalOf(call);
  if (admits(call.route.row.callers, principal, null)) return principal;
  return principal.type === 'key' ? challenge('auth_required') : refuse('session_denied');
}

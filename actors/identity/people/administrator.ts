/** First steps of every route of this room: the caller, the user that the path names, and whether the caller may change that user. */
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { roleBeyond } from '../authority.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { shownRole } from './roles.ts';

type NoAdministrator = Refusal<'auth_required' | 'no_tenant' | 'requires_tenant_admin' | 'invalid_token'>;

/** The administrator of a call. The body is read afterwards: a caller without authority costs no parsing. */
export function administratorOf(call: Call): Principal | NoAdministrator {
  const principal = principalOf(call);
  // A key does not stand in for a bearer here (docs/contract/identity.md §4.2 lists where it does).
  if (principal.type === 'key') return challenge('auth_required');
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  if (!admits(call.route.row.callers, principal, call.activation.position)) return refuse('requires_tenant_admin');
  // What is made here outlives a token without a session, so a user who was disabled since makes nothing more.
  return isDisabled(call, principal) ? challenge('invalid_token') : principal;
}

/** Whether the row of a bearer's user says so; a bearer of another place has none here. */
function isDisabled(call: Call, { type, subject }: Principal): boolean {
  return type === 'user' && findUser(call.turn(), subject)?.disabled_at !== undefined;
}

export interface Named {
  readonly kind: 'named';
  readonly user: UserRecord;
}

/** The user whose id the path has; the event of the call names the user. */
export function userNamed(call: Call): Named | Refusal<'unknown_user'> {
  const user = findUser(call.turn(), call.param('id'));
  if (user === undefined) return refuse('unknown_user');
  call.involve({ target: user.id });
  return { kind: 'named', user };
}

/** Null when the administrator may change the user: one of operators' roles puts the user out of reach, unless the administrator may confer it. */
function outOfReach(work: Work, caller: Principal, user: UserRecord): Refusal<'user_out_of_reach'> | null {
  const role = roleBeyond(caller, work.activation.position, user.roles);
  return role === undefined
    ? null
    : refuse('user_out_of_reach', {
        message: `the user holds ${shownRole(role)}: only an operator changes such a user`,
      });
}

/** The administrator, and the user that the administrator may change. */
export function userToChange(
  call: Call,
):
  | { readonly kind: 'named'; readonly user: UserRecord; readonly caller: Principal }
  | NoAdministrator
  | Refusal<'unknown_user' | 'user_out_of_reach'> {
  const caller = administratorOf(call);
  if ('code' in caller) return caller;
  const named = userNamed(call);
  if (named.kind === 'refusal') return named;
  return outOfReach(call, caller, named.user) ?? { ...named, caller };
}

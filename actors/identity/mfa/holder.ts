/** Which second factor a credential may change. Decision: docs/decisions/identity.md ID-38. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { principalOf } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { findUser, keyOrDecoy, type Reader, type UserRecord } from '../store.ts';

export interface Holder {
  readonly kind: 'holder';
  /** Key of the enrolment: a user id, or the id of a key that stands for itself. */
  readonly subject: string;
  /** The account's label in an authenticator app. */
  readonly label: string;
}

/** The user of a user token; of an ordinary key the user who issued it, else the key itself. `mfa_denied` otherwise. Events name the holder. */
export function holderOf(call: Call): Holder | Refusal<'mfa_denied'> {
  const principal = principalOf(call);
  call.involve({ target: principal.subject });
  if (!admits(call.route.row.callers, principal, null)) return refuse('mfa_denied');
  const user = userBehind(call.turn(), principal);
  if (user !== undefined) call.involve({ target: user.id });
  if (user !== undefined) return { kind: 'holder', subject: user.id, label: user.email || user.id };
  if (principal.type !== 'key') return refuse('mfa_denied');
  return { kind: 'holder', subject: principal.subject, label: principal.subject };
}

/** A service key belongs to a machine and never stands for the user who issued it, so that no machine can lock the user out. */
function userBehind(reader: Reader, principal: Principal): UserRecord | undefined {
  if (principal.type === 'user') return findUser(reader, principal.subject);
  if (principal.type !== 'key' || principal.scope.length > 0) return undefined;
  return findUser(reader, keyOrDecoy(reader, principal.subject).created_by);
}

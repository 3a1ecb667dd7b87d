/** Whether the user of a call has proven just now to be there: a stolen token alone must not add or take away ways into an account. */
import { limits } from '#config/limits.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { counts, shownChallenge, type Bound } from '../passkey/challenges.ts';
import { passkeysOf } from '../passkey/enabled.ts';
import { readPasskeys } from '../passkey/store.ts';
import { refuse } from '../refusals.ts';
import { findSession } from '../session/store.ts';
import type { UserRecord } from '../store.ts';

/** The header that holds a proof, as rows name it. */
export const PROOF_HEADER = 'x-skep-proof';

/** A proof ends with the session that it was given in, and with a change of the password. */
export function boundToUser({ id, password_hash }: UserRecord, { sid }: Pick<Principal, 'sid'>): Bound {
  return { subject: id, proof: JSON.stringify([sid ?? '', password_hash]) };
}

/** `proof_required`, with what would prove it; null when the session is fresh, or the call shows a proof. */
export function unproven(call: Call, user: UserRecord, principal: Principal): Refusal<'proof_required'> | null {
  if (isFresh(call, principal) || hasProof(call, user, principal)) return null;
  const byPasskey = passkeysOf(call) !== null && readPasskeys(call.turn(), user.id).length > 0;
  const methods = [...(user.password_hash === '' ? [] : ['password']), ...(byPasskey ? ['webauthn'] : []), 'login'];
  return refuse('proof_required', { details: { methods } });
}

/** A rotation of the session changes its id, and not when it was opened. */
function isFresh(call: Call, { sid }: Principal): boolean {
  const session = sid === null ? undefined : findSession(call.turn(), sid);
  return session?.kind === 'user' && call.now - instantMs(session.created_at) < limits.account.freshLoginMs;
}

function hasProof(call: Call, user: UserRecord, principal: Principal): boolean {
  const text = call.header(PROOF_HEADER) ?? '';
  const shown = shownChallenge(call, text);
  return shown?.purpose === 'proven' && counts(call, text, shown, boundToUser(user, principal));
}

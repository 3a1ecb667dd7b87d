/** Asks a user who is logged in for a passkey once more, beside account/prove-password.ts. */
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Identity } from '../identity.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { counts, handleOf, shownChallenge, spend, type Bound } from './challenges.ts';
import { clientDataFault, readClientData } from './client-data.ts';
import { passkeysOf } from './enabled.ts';
import { loginsOf, refuseLogin } from './logins.ts';
import { isFaithful, noteUse } from './note-use.ts';
import type { Assertion } from './shapes.ts';
import { findCredential } from './store.ts';
import { verifyAssertion } from './verify.ts';

interface Prover {
  readonly user: UserRecord;
  readonly principal: Principal;
}

/** What the challenge of a proof is bound to: the user, in this session. */
export function boundToProof({ id }: UserRecord, { sid }: Principal): Bound {
  return { subject: id, proof: sid ?? '' };
}

type Unproven = Refusal<
  'webauthn_disabled' | 'bad_request' | 'invalid_passkey' | 'invalid_challenge' | 'invalid_credentials' | 'rate_limited'
>;

/** The user as it is now, with the use of the passkey staged; each proof counts as a login does, since it leaves a spent challenge. */
export async function provePasskey(
  identity: Identity,
  call: Call,
  { user: { id }, principal }: Prover,
  credential: Assertion,
): Promise<UserRecord | Unproven> {
  const settings = passkeysOf(call);
  if (settings === null) return refuse('webauthn_disabled');
  const client = readClientData(credential.response.clientDataJSON);
  if (client === null) return refuse('bad_request', { message: 'credential.response.clientDataJSON is not JSON' });
  const fault = clientDataFault(client, 'webauthn.get', settings.origins);
  if (fault !== null) return refuse('invalid_passkey', { message: fault });
  const shown = shownChallenge(call, client.challenge);
  const isOpen = (user: UserRecord): boolean =>
    shown?.purpose === 'prove' && counts(call, client.challenge, shown, boundToProof(user, principal));
  const owner = findUser(call.turn(), id);
  const passkey = findCredential(call.turn(), credential.id);
  if (shown === null || owner === undefined || !isOpen(owner)) return refuse('invalid_challenge');
  if (passkey?.user !== id) return challenge('invalid_credentials');
  const verified = await verifyAssertion(settings, credential, client, passkey);
  // The passkey, its user or the challenge may have changed during the await.
  const present = findUser(call.nextTurn(), id);
  if (present === undefined || present.disabled_at !== undefined || !isOpen(present))
    return refuse('invalid_challenge');
  const isOwn = findCredential(call.turn(), credential.id)?.id === passkey.id && isHandle(call, credential, id);
  if (verified === null || !isOwn) return challenge('invalid_credentials');
  const wait = loginsOf(call.activation).waitMs(id, call.now);
  if (wait > 0) return refuseLogin(wait);
  if (!isFaithful(identity, call, passkey, verified)) return challenge('invalid_credentials');
  noteUse(call, passkey, verified);
  spend(call, client.challenge, shown);
  loginsOf(call.activation).note(id, call.now);
  return present;
}

/** An authenticator may leave the user handle out where the user is known (WebAuthn §7.2 step 6). */
function isHandle(call: Call, { response: { userHandle } }: Assertion, id: string): boolean {
  return userHandle === undefined || userHandle === null || userHandle === handleOf(call, id);
}

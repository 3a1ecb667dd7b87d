/** `POST /auth/webauthn/register/finish`: the authenticator's answer becomes a passkey of the user (WebAuthn §7.1). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { commitAndTellOwner } from '../account/tell-owner.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { counts, shownChallenge, spend } from './challenges.ts';
import { clientDataFault, readClientData } from './client-data.ts';
import { registrantOf } from './owner.ts';
import type { passkeyRoutes } from './routes.ts';
import { registerRequest } from './shapes.ts';
import { findCredential, putPasskey, putUse, readPasskeys, type PasskeyRecord, type PasskeyUse } from './store.ts';
import { verifyRegistration, type NewPasskey } from './verify.ts';
import { viewOf } from './view.ts';

type Result = Outcome<typeof passkeyRoutes.webauthnFinish>;

export async function finishRegistration(identity: Identity, call: Call): Promise<Result> {
  const owner = registrantOf(identity, call);
  if (isRefusal(owner)) return owner;
  const body = readBody(call, registerRequest);
  if (!body.ok) return body.refusal;
  const { credential } = body.value;
  const client = readClientData(credential.response.clientDataJSON);
  if (client === null) return refuse('bad_request', { message: 'credential.response.clientDataJSON is not JSON' });
  const fault = clientDataFault(client, 'webauthn.create', owner.settings.origins);
  if (fault !== null) return refuse('invalid_passkey', { message: fault });
  const { id: user } = owner.user;
  const bound = { subject: user, proof: owner.principal.sid ?? '' };
  const shown = shownChallenge(call, client.challenge);
  if (shown?.purpose !== 'register' || !counts(call, client.challenge, shown, bound))
    return refuse('invalid_challenge');
  const made = await verifyRegistration(owner.settings, credential, client);
  // Another request may have spent the challenge, or deleted the user, during the await.
  const turn = call.nextTurn();
  if (made === null) return refuse('invalid_passkey');
  if (!counts(call, client.challenge, shown, bound)) return refuse('invalid_challenge');
  const present = findUser(turn, user);
  if (present === undefined) return refuse('passkey_denied');
  if (findCredential(turn, made.credentialId) !== undefined) return refuse('passkey_exists');
  spend(call, client.challenge, shown);
  return keep(identity, call, present, made, body.value);
}

interface Wish {
  readonly name?: string | null | undefined;
  readonly second_factor?: boolean | null | undefined;
  readonly credential: { readonly response: { readonly transports?: string[] | null | undefined } };
}

/** A passkey beyond the contract's bound is answered like any other, and left out. */
function keep(identity: Identity, call: Call, owner: UserRecord, made: NewPasskey, wish: Wish): Result {
  const turn = call.turn();
  const { clock, ids } = call.activation.context;
  const present = readPasskeys(turn, owner.id);
  const record: PasskeyRecord = {
    id: ids.next(),
    user: owner.id,
    credential_id: made.credentialId,
    public_key: made.publicKey,
    transports: wish.credential.response.transports ?? [],
    device_type: made.deviceType,
    aaguid: made.aaguid,
    name: wish.name ?? `Passkey ${present.length + 1}`,
    second_factor: wish.second_factor === true,
    created_at: timestamp(clock.now()),
  };
  const use: PasskeyUse = { counter: made.counter, backed_up: made.backedUp, last_used_at: null, cloned_at: null };
  const kept = present.length < limits.passkeys.perUserMax;
  if (kept) {
    putPasskey(turn, record);
    putUse(turn, record.id, use);
  }
  call.involve({ data: { passkey: record.id, second_factor: record.second_factor, kept } });
  const view = { ...viewOf(turn, record), backed_up: made.backedUp };
  if (kept) commitAndTellOwner(identity, call, 'passkey_added', owner);
  else call.commit();
  return reply(201, view, { 'Cache-Control': 'no-store' });
}

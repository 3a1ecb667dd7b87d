/** `POST /auth/proof/begin`: what a page hands to `navigator.credentials.get`. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { ownUser } from '../account/own-account.ts';
import { requestOptions } from '../passkey/begin-login.ts';
import { giveChallenge } from '../passkey/challenges.ts';
import { passkeysOf } from '../passkey/enabled.ts';
import { boundToProof } from '../passkey/prove-passkey.ts';
import { readPasskeys } from '../passkey/store.ts';
import { refuse } from '../refusals.ts';
import type { proofRoutes } from './routes.ts';

export function beginProof(call: Call): Outcome<typeof proofRoutes.beginProof> {
  const own = ownUser(call);
  if (isRefusal(own)) return own;
  const settings = passkeysOf(call);
  if (settings === null) return refuse('webauthn_disabled');
  const passkeys = readPasskeys(call.turn(), own.user.id);
  if (passkeys.length === 0) return refuse('unknown_passkey');
  const challenge = giveChallenge(call, 'prove', boundToProof(own.user, own.principal));
  return reply(200, { publicKey: requestOptions(settings, challenge, passkeys) }, { 'Cache-Control': 'no-store' });
}

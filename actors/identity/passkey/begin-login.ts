/** `POST /auth/webauthn/login/begin`: what a page hands to `navigator.credentials.get`. No name is asked for, so the answer tells of no user. */
import { limits } from '#config/limits.ts';
import type { PasskeySettings } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';
import { giveChallenge } from './challenges.ts';
import { passkeysOf } from './enabled.ts';
import type { passkeyRoutes } from './routes.ts';
import type { RequestOptions } from './shapes.ts';
import type { PasskeyRecord } from './store.ts';
import { descriptorOf } from './view.ts';

export function beginLogin(call: Call): Outcome<typeof passkeyRoutes.webauthnLoginBegin> {
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const settings = passkeysOf(call);
  if (settings === null) return refuse('webauthn_disabled');
  const challenge = giveChallenge(call, 'login', { subject: '', proof: '' });
  return reply(200, { publicKey: requestOptions(settings, challenge, []) }, { 'Cache-Control': 'no-store' });
}

/** WebAuthn §5.5; without passkeys the browser offers those that it finds for `rpId`. */
export function requestOptions(
  { rp_id, user_verification }: PasskeySettings,
  challenge: string,
  allowed: readonly PasskeyRecord[],
): RequestOptions {
  return {
    challenge,
    timeout: limits.passkeys.challengeMs,
    rpId: rp_id,
    allowCredentials: allowed.map(descriptorOf),
    userVerification: user_verification,
  };
}

/** `POST /auth/webauthn/register/begin`: what a page hands to `navigator.credentials.create` (WebAuthn §5.4). Writes nothing. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { unproven } from '../proof/proven.ts';
import { giveChallenge, handleOf } from './challenges.ts';
import { registrantOf } from './owner.ts';
import type { passkeyRoutes } from './routes.ts';
import { readPasskeys } from './store.ts';
import { ALGORITHMS } from './verify.ts';
import { descriptorOf } from './view.ts';

/** What a browser shows for a user without an address. */
const GUEST = 'guest';

export function beginRegistration(identity: Identity, call: Call): Outcome<typeof passkeyRoutes.webauthnBegin> {
  const owner = registrantOf(identity, call);
  if (isRefusal(owner)) return owner;
  const { user, principal, settings } = owner;
  // The challenge is what the proof gives: the answer to it needs no proof of its own.
  const missing = unproven(call, user, principal);
  if (missing !== null) return missing;
  const name = [user.firstname, user.lastname].filter((part) => part !== null).join(' ');
  const publicKey = {
    rp: { id: settings.rp_id, name: settings.rp_name },
    user: { id: handleOf(call, user.id), name: user.email || GUEST, displayName: name || user.email || GUEST },
    challenge: giveChallenge(call, 'register', { subject: user.id, proof: principal.sid ?? '' }),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: limits.passkeys.challengeMs,
    excludeCredentials: readPasskeys(call.turn(), user.id).map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true as const,
      userVerification: settings.user_verification,
    },
    attestation: 'none' as const,
  };
  return reply(200, { publicKey }, { 'Cache-Control': 'no-store' });
}

/** `POST /auth/proof`: a user who is logged in shows once more what a thief of a token does not have. */
import { limits } from '#config/limits.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { ownUser, type OwnUser } from '../account/own-account.ts';
import { provePassword } from '../account/prove-password.ts';
import type { Identity } from '../identity.ts';
import { giveChallenge } from '../passkey/challenges.ts';
import { provePasskey } from '../passkey/prove-passkey.ts';
import { readBody } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { showToken } from '../user/refresh.ts';
import { boundToUser } from './proven.ts';
import type { proofRoutes } from './routes.ts';
import { proofRequest, type ProofWish } from './shapes.ts';

type Result = Outcome<typeof proofRoutes.giveProof>;

const { challengeMs } = limits.passkeys;

/** A login that is older proves nothing. */
const { freshLoginMs } = limits.account;

export async function giveProof(identity: Identity, call: Call): Promise<Result> {
  const own = ownUser(call);
  if (isRefusal(own)) return own;
  const body = readBody(call, proofRequest);
  if (!body.ok) return body.refusal;
  call.involve({ data: { by: Object.keys(body.value)[0] } });
  const user = await prove(identity, call, own, body.value);
  if (isRefusal(user)) return user;
  const proof = giveChallenge(call, 'proven', boundToUser(user, own.principal));
  call.commit();
  return reply(200, { proof, expires_in: challengeMs / 1000 }, { 'Cache-Control': 'no-store' });
}

async function prove(identity: Identity, call: Call, own: OwnUser, { password, credential, refresh_token }: ProofWish) {
  if (password !== undefined) return provePassword(identity, call, own.user, password);
  if (credential !== undefined) return provePasskey(identity, call, own, credential);
  return proveLogin(call, own.user, refresh_token!);
}

/** By the newest token of a login of the user that was made just now. */
function proveLogin(call: Call, user: UserRecord, text: string): UserRecord | Refusal<'invalid_credentials'> {
  const shown = showToken(call.turn(), text);
  if (shown === null) return challenge('invalid_credentials');
  const { family, no } = shown;
  const isOwn = family.user === user.id && family.actor === null && family.ended_at === null && no === family.latest;
  return isOwn && call.now - instantMs(family.created_at) < freshLoginMs ? user : challenge('invalid_credentials');
}

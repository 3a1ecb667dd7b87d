/** `POST /auth/magic-link/consume`: a login with the token of a mailed link. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { secondFactor } from '../mfa/second-factor.ts';
import { mfaRequired } from '../passkey/second-step.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import { findUser } from '../store.ts';
import { admitUser } from './admit-user.ts';
import { showOneTime } from './one-time-token.ts';
import type { userRoutes } from './routes.ts';
import { consumeRequest } from './shapes.ts';
import { deleteOneTime, nearestOneTime, putOneTime } from './store.ts';

type Result = Outcome<typeof userRoutes.consumeMagicLink>;

/** A link does not replace the second factor. Without a code the link stays open, so that the caller can repeat the request with one. */
export function consumeMagicLink(identity: Identity, call: Call): Result {
  const body = readBody(call, consumeRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { token, otp } = body.value;
  const id = showOneTime(call.turn(), 'magic_link', token, identity.context.clock.now());
  const user = id === null ? undefined : findUser(call.turn(), id);
  if (user === undefined || user.disabled_at !== undefined) return challenge('invalid_one_time_token');
  call.involve({ actor: user.id, target: user.id, email: user.email });
  const second = secondFactor(identity, call, user, otp);
  if (second === 'required') return mfaRequired(call, user, 'magic_link');
  if (second === 'invalid') return countWrongCode(call, user.id);
  deleteOneTime(call.turn(), 'magic_link', user.id);
  return admitUser(identity, call, user);
}

/** A link has a bounded number of tries: its holder must not guess codes for as long as it lives. */
function countWrongCode(call: Call, user: string): Result {
  const turn = call.turn();
  const { record } = nearestOneTime(turn, 'magic_link', user);
  const wrong_codes = record.wrong_codes + 1;
  if (wrong_codes >= limits.identity.magicLinkWrongCodesMax) deleteOneTime(turn, 'magic_link', user);
  else putOneTime(turn, 'magic_link', user, { ...record, wrong_codes });
  call.commit();
  return challenge('invalid_credentials');
}

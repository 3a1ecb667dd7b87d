/** `POST /auth/me/upgrade`: a sign-up by a guest. The link makes an account of the guest (become-account.ts) where a stranger's makes a new user. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { ownAccount } from '../account/own-account.ts';
import { wishSignUp } from '../account/request-sign-up.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import type { guestRoutes } from './routes.ts';
import { upgradeRequest } from './shapes.ts';

type Result = Outcome<typeof guestRoutes.upgradeGuest>;

export function upgradeGuest(identity: Identity, call: Call): Result | Promise<Result> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const body = readBody(call, upgradeRequest);
  if (!body.ok) return body.refusal;
  return own.user.guest === true
    ? wishSignUp(identity, call, own.rules, body.value, own.user.id)
    : refuse('not_a_guest');
}

/** `POST /auth/guest`: a user without address and password, with the roles that the product gives to guests, and the tokens of a login. */
import { limits } from '#config/limits.ts';
import type { GuestsDefinition } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { accountsOf } from '../account/rules.ts';
import { proveCaptcha, type CaptchaRefusal, type Proven } from '../captcha/prove.ts';
import type { Identity } from '../identity.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { findUser, putUser } from '../store.ts';
import { admitUser } from '../user/admit-user.ts';
import { keepMs } from './keep-guest.ts';
import type { guestRoutes } from './routes.ts';
import { guestRequest } from './shapes.ts';
import { guestCount, putGuest } from './store.ts';
import { sweepGuests } from './sweep-guests.ts';

type Result = Outcome<typeof guestRoutes.createGuest>;

export function createGuest(identity: Identity, call: Call): Result | Promise<Result> {
  const body = readBody(call, guestRequest, true);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const rules = accountsOf(call.activation);
  if (isRefusal(rules)) return rules;
  const { guests, captcha } = rules.accounts;
  if (guests === undefined) return refuse('no_guests');
  const proven = proveCaptcha(identity, call, captcha, body.value, 'guest');
  return proven instanceof Promise
    ? proven.then((later) => admitted(identity, call, guests, later))
    : admitted(identity, call, guests, proven);
}

/** Nothing before this has looked at a row. */
function admitted(identity: Identity, call: Call, guests: GuestsDefinition, proven: Proven | CaptchaRefusal): Result {
  if (isRefusal(proven)) return proven;
  sweepGuests(identity, call.activation);
  if (guestCount(call.turn()) >= guests.max) {
    proven.giveBack();
    return refuse('guests_full', { headers: retryAfter(limits.account.guestSweepEveryMs / 1000) });
  }
  const id = stageGuest(call, guests.roles);
  call.involve({ actor: id, target: id, data: { roles: guests.roles } });
  return admitUser(identity, call, findUser(call.turn(), id)!);
}

function stageGuest(call: Call, roles: readonly string[]): string {
  const { context } = call.activation;
  const turn = call.turn();
  const id = context.ids.next();
  const created_at = timestamp(call.now);
  putUser(turn, {
    id,
    email: '',
    firstname: null,
    lastname: null,
    roles,
    password_hash: '',
    allow_impersonation: false,
    created_at,
    guest: true,
  });
  putGuest(turn, id, timestamp(call.now + keepMs(call)));
  return id;
}

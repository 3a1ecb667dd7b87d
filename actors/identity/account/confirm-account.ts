/** `POST /auth/sign-up/confirm`: the holder of a mailed link, of a sign-up or an invitation, chooses a password and gets the account. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { createUser } from '../create-user.ts';
import { becomeAccount, presentGuest } from '../guest/become-account.ts';
import type { Identity } from '../identity.ts';
import { shortPassword } from '../password-shape.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser } from '../store.ts';
import { admitUser } from '../user/admit-user.ts';
import { showOneTime } from '../user/one-time-token.ts';
import { mayStillConfer } from './conferrable.ts';
import { closeRequestsOf } from './open-request.ts';
import type { accountRoutes } from './routes.ts';
import { accountsOf, closedSignUp, foreignDomain, type Rules } from './rules.ts';
import { confirmAccountRequest } from './shapes.ts';
import { findRequest, type AccountRequest } from './store.ts';

type Result = Outcome<typeof accountRoutes.confirmAccount>;
type Wish = z.output<typeof confirmAccountRequest>;

/** Only a valid link costs a hash. It is checked again afterwards, in the turn that spends it, so that one of two requests at once wins. */
export async function confirmAccount(identity: Identity, call: Call): Promise<Result> {
  const body = readBody(call, confirmAccountRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const rules = accountsOf(call.activation);
  if (isRefusal(rules)) return rules;
  const shown = showRequest(identity, call, rules, body.value.token);
  if (isRefusal(shown)) return shown;
  const short = shortPassword(call.activation, body.value.password);
  if (short !== null) return short;
  const passwordHash = await hashPassword(body.value.password);
  call.nextTurn();
  const request = showRequest(identity, call, rules, body.value.token);
  return isRefusal(request) ? request : admit(identity, call, rules, request, body.value, passwordHash);
}

/** The open request of a link: what the product and its inviter allow now, not when it was made. Both kinds are always looked up. */
function showRequest(
  identity: Identity,
  call: Call,
  { accounts }: Rules,
  token: string,
): AccountRequest | Refusal<'invalid_one_time_token' | 'sign_up_closed' | 'email_domain'> {
  const turn = call.turn();
  const now = identity.context.clock.now();
  const signUp = showOneTime(turn, 'sign_up', token, now);
  const invited = showOneTime(turn, 'invitation', token, now);
  const request =
    signUp !== null
      ? findRequest(turn, 'sign_up', signUp)
      : invited !== null
        ? findRequest(turn, 'invitation', invited)
        : undefined;
  if (request === undefined) return challenge('invalid_one_time_token');
  call.involve({ email: request.email });
  if (request.guest !== undefined && presentGuest(turn, request.guest) === undefined)
    return challenge('invalid_one_time_token');
  if (request.kind === 'sign_up') return closedSignUp(accounts) ?? foreignDomain(accounts, request.email) ?? request;
  return mayStillConfer(call, request) ? request : challenge('invalid_one_time_token');
}

/** The address has no other open request afterwards. Who holds the link may learn that the address has an account by now. */
function admit(
  identity: Identity,
  call: Call,
  { accounts }: Rules,
  request: AccountRequest,
  { firstname, lastname }: Wish,
  passwordHash: string,
): Result {
  const { kind, email } = request;
  const roles = kind === 'sign_up' ? accounts.roles : request.roles;
  const wish = { email, passwordHash, roles, firstname, lastname, verified: true };
  const guest = request.guest === undefined ? undefined : presentGuest(call.turn(), request.guest)!;
  const id =
    guest === undefined
      ? createUser(call.turn(), call.activation.context, wish)
      : becomeAccount(identity, call, guest, wish);
  if (id === null) return refuse('login_taken');
  const turn = call.turn();
  closeRequestsOf(turn, email);
  call.involve({ actor: id, target: id, data: { kind, roles } });
  return admitUser(identity, call, findUser(turn, id)!);
}

/** `POST /auth/sign-up`: the same answer and the same work whether the address has an account, waits for one, or is new. */
import type { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { proveCaptcha, type CaptchaRefusal, type Proven } from '../captcha/prove.ts';
import type { guestRoutes } from '../guest/routes.ts';
import type { Identity } from '../identity.ts';
import { askedLanguage } from '../mail/asked-language.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { findAccount } from '../store.ts';
import { accountGuardOf } from '../user/account-guard.ts';
import { enqueueMail } from '../user/enqueue-mail.ts';
import { openRequest } from './open-request.ts';
import type { accountRoutes } from './routes.ts';
import { accountsOf, closedSignUp, foreignDomain, type Rules } from './rules.ts';
import { signUpRequest } from './shapes.ts';

type Result = Outcome<typeof accountRoutes.signUp>;
type Wish = z.output<typeof signUpRequest>;
type Wished = Result & Outcome<typeof guestRoutes.upgradeGuest>;

/** A full table is tried again after the time in which the sweeps of such tries make room. */
const RETRY_SECONDS = 60;

/**
 * Whether the address has an account is asked when the mail is made (account-mail.ts), not here: so no request can tell it by its answer,
 * its writes or its time. The password is set by the holder of the link, so that a stranger sets none for another person's address.
 */
export function requestSignUp(identity: Identity, call: Call): Result | Promise<Result> {
  const body = readBody(call, signUpRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const rules = accountsOf(call.activation);
  if (isRefusal(rules)) return rules;
  return wishSignUp(identity, call, rules, body.value, null);
}

/** The wish of a stranger, or of a guest by its id. What the product refuses everybody comes before the captcha. */
export function wishSignUp(
  identity: Identity,
  call: Call,
  rules: Rules,
  wish: Wish,
  guest: string | null,
): Wished | Promise<Wished> {
  const refused = closedSignUp(rules.accounts) ?? foreignDomain(rules.accounts, wish.email);
  if (refused !== null) return refused;
  if (identity.mail?.links.sign_up === undefined) return refuse('no_mail');
  const proven = proveCaptcha(identity, call, rules.accounts.captcha, wish, 'sign_up');
  if (proven instanceof Promise) return proven.then((later) => wished(identity, call, wish, guest, later));
  return wished(identity, call, wish, guest, proven);
}

/** Nothing before this has looked at a row. */
function wished(
  identity: Identity,
  call: Call,
  { email }: Wish,
  guest: string | null,
  proven: Proven | CaptchaRefusal,
): Wished {
  if (isRefusal(proven)) return proven;
  call.involve({ target: guest ?? findAccount(call.turn(), email)?.id ?? '', email });
  if (!accountGuardOf(call.activation).mayMail('sign_up', email, identity.context.clock.now()))
    return reply(202, { ok: true });
  return open(identity, call, email, guest, proven);
}

function open(identity: Identity, call: Call, email: string, guest: string | null, proven: Proven): Wished {
  const { signUpMs: lifeMs, signUpsMax: max, signUpMailsMax } = limits.account;
  const request = openRequest(call, { kind: 'sign_up', email, roles: [], by: null, guest, lifeMs, max });
  if (request === null) {
    proven.giveBack();
    call.commit(); // what the sweep has deleted stays deleted
    return refuse('sign_ups_full', { headers: retryAfter(RETRY_SECONDS) });
  }
  const { id, expires_at } = request;
  const language = askedLanguage(call, 'sign_up');
  enqueueMail(identity, call, { kind: 'sign_up', user: id, to: email, expires_at, language }, signUpMailsMax);
  return reply(202, { ok: true });
}

/** `POST /auth/me/email`: the same answer and the same work whether another user has the address or not. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { accountGuardOf } from '../user/account-guard.ts';
import { enqueueMail } from '../user/enqueue-mail.ts';
import { deleteOneTime } from '../user/store.ts';
import type { meRoutes } from './me-routes.ts';
import { ownAccount } from './own-account.ts';
import { provePassword } from './prove-password.ts';
import { foreignDomain } from './rules.ts';
import { emailRequest } from './shapes.ts';
import { putChange } from './store.ts';

/** A user has one open wish: a new one ends the links of the one before. Whether the address is taken is asked when the mail is made (account-mail.ts). */
export async function changeEmail(identity: Identity, call: Call): Promise<Outcome<typeof meRoutes.changeEmail>> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const body = readBody(call, emailRequest);
  if (!body.ok) return body.refusal;
  const { email, password } = body.value;
  const foreign = foreignDomain(own.rules.accounts, email);
  if (foreign !== null) return foreign;
  if (identity.mail?.links.email_change === undefined) return refuse('no_mail');
  const proven = await provePassword(identity, call, own.user, password);
  if (isRefusal(proven)) return proven;
  call.involve({ email });
  const now = identity.context.clock.now();
  if (accountGuardOf(call.activation).mayMail('email_change', email, now)) open(identity, call, proven.id, email, now);
  return reply(202, { ok: true });
}

function open(identity: Identity, call: Call, id: string, email: string, nowMs: number): void {
  const turn = call.turn();
  const created_at = timestamp(nowMs);
  const expires_at = timestamp(nowMs + limits.account.emailChangeMs);
  putChange(turn, { id, kind: 'email_change', email, roles: [], by: null, created_at, expires_at });
  deleteOneTime(turn, 'email_change', id);
  enqueueMail(identity, call, { kind: 'email_change', user: id, to: email, expires_at });
}

/** `POST /auth/admin/users/{id}/send-reset`: mails the user a link that sets a new password. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { tell, type Identity } from '../identity.ts';
import { busy, refuse } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { accountGuardOf } from '../user/account-guard.ts';
import { userToChange } from './administrator.ts';
import type { peopleRoutes } from './routes.ts';

export function sendReset(identity: Identity, call: Call): Outcome<typeof peopleRoutes.sendReset> {
  const named = userToChange(call);
  if (isRefusal(named)) return named;
  const { user } = named;
  if (user.disabled_at !== undefined) return refuse('user_disabled');
  if (user.guest === true)
    return refuse('guest_denied', { message: 'a guest has no address to which a link could go' });
  const unsent = stageReset(identity, call, user);
  if (unsent !== null) return unsent;
  tell(identity, call, { ...call.who, action: 'auth.user.changed', target: user.id, data: { reset: 'sent' } });
  return reply(202, { ok: true });
}

type Unsent = Refusal<'no_mail' | 'rate_limited' | 'engine_unavailable'>;

/** Stages the mail; null when it will leave. An address gets as few mails from administrators as from strangers. */
export function stageReset(identity: Identity, call: Call, user: UserRecord): Unsent | null {
  if (identity.mail === null) return refuse('no_mail');
  const now = identity.context.clock.now();
  if (identity.outbox.room(call.turn(), 1) === 0) return busy();
  if (!accountGuardOf(call.activation).mayMail('reset', user.email, now)) return tooManyMails();
  const expires_at = timestamp(now + limits.identity.resetTokenMs);
  const id = call.activation.context.ids.next();
  identity.outbox.stage(call.turn(), [{ id, kind: 'reset', user: user.id, to: user.email, expires_at }]);
  const { activation } = call;
  call.onEnd((newest) => {
    if (newest !== null) identity.outbox.notify(activation, newest);
  });
  return null;
}

function tooManyMails(): Refusal<'rate_limited'> {
  const seconds = limits.identity.mailEveryMs / 1000;
  const details = { profile: 'mails', retry_after_seconds: seconds };
  return refuse('rate_limited', {
    message: 'this address got as many mails as it may for now: links that were sent still work',
    details,
    headers: retryAfter(seconds),
  });
}

/** `POST /auth/mfa/totp/disable`: a TOTP code or a recovery code ends the enrolment. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../refusals.ts';
import { readCode } from './read-code.ts';
import type { mfaRoutes } from './routes.ts';
import { deleteTotp, findTotp } from './store.ts';
import { useCode } from './use-code.ts';

export function disableTotp(call: Call): Outcome<typeof mfaRoutes.disableTotp> {
  const wish = readCode(call);
  if (isRefusal(wish)) return wish;
  const totp = findTotp(call.turn(), wish.subject);
  if (totp === undefined || !totp.enabled) return refuse('mfa_not_enabled');
  if (!useCode(call, wish.subject, totp, wish.code)) return refuse('invalid_code');
  deleteTotp(call.turn(), wish.subject);
  return reply(200, { ok: true });
}

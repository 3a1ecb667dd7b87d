/** `POST /auth/mfa/recovery-codes`: ten new recovery codes; earlier ones become invalid. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../refusals.ts';
import { issueRecoveryCodes } from './issue-recovery-codes.ts';
import { readCode } from './read-code.ts';
import type { mfaRoutes } from './routes.ts';
import { findTotp } from './store.ts';
import { useCode } from './use-code.ts';

export function renewRecoveryCodes(call: Call): Outcome<typeof mfaRoutes.renewRecoveryCodes> {
  const wish = readCode(call);
  if (isRefusal(wish)) return wish;
  const totp = findTotp(call.turn(), wish.subject);
  if (totp === undefined || !totp.enabled) return refuse('mfa_not_enabled');
  if (!useCode(call, wish.subject, totp, wish.code)) return refuse('invalid_code');
  return issueRecoveryCodes(call, wish.subject);
}

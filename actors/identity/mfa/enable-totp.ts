/** `POST /auth/mfa/totp/enable`: a first code proves that the app holds the secret; from here on a login asks for one. */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { principalOf } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { issueRecoveryCodes } from './issue-recovery-codes.ts';
import { readCode } from './read-code.ts';
import type { mfaRoutes } from './routes.ts';
import { findTotp, putTotp } from './store.ts';
import { useCode } from './use-code.ts';

/**
 * The code counts as used. A key may enrol the user who issued it, as the contract says, but must not lock the user out: logins do not require
 * such a factor until the user has confirmed it (second-factor.ts).
 */
export function enableTotp(call: Call): Outcome<typeof mfaRoutes.enableTotp> {
  const wish = readCode(call);
  if (isRefusal(wish)) return wish;
  const { subject, code } = wish;
  const setup = findTotp(call.turn(), subject);
  if (setup === undefined) return refuse('mfa_not_setup');
  if (setup.enabled) return refuse('mfa_enabled');
  if (!useCode(call, subject, setup, code)) return refuse('invalid_code');
  const used = findTotp(call.turn(), subject)!;
  const enabledAt = timestamp(call.activation.context.clock.now());
  const { type, subject: caller } = principalOf(call);
  const byKey = type === 'key' && caller !== subject ? ({ unconfirmed: true } as const) : {};
  putTotp(call.turn(), subject, { ...used, ...byKey, enabled: true, enabled_at: enabledAt });
  return issueRecoveryCodes(call, subject);
}

/** `POST /auth/mfa/totp/setup`: a secret for an authenticator app. Logins require no code until the factor is enabled. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';
import { holderOf } from './holder.ts';
import type { mfaRoutes } from './routes.ts';
import { findTotp, putTotp } from './store.ts';
import { otpauthUri, secretText } from './totp.ts';

/** Replaces a setup that was not enabled; `mfa_enabled` for one that was. */
export function setupTotp(call: Call): Outcome<typeof mfaRoutes.setupTotp> {
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const holder = holderOf(call);
  if (isRefusal(holder)) return holder;
  const present = findTotp(call.turn(), holder.subject);
  // The user's own login may replace a factor that a key enrolled and the user never confirmed.
  const mayReplace = present?.unconfirmed === true && principalOf(call).type === 'user';
  if (present?.enabled === true && !mayReplace) return refuse('mfa_enabled');
  const { context, product } = call.activation;
  const secret = context.random(limits.mfa.secretBytes);
  putTotp(call.turn(), holder.subject, {
    secret,
    enabled: false,
    last_step: 0,
    created_at: timestamp(context.clock.now()),
    enabled_at: null,
  });
  const body = { secret: secretText(secret), otpauth_uri: otpauthUri(secret, holder.label, product.name) };
  return reply(200, body, { 'Cache-Control': 'no-store' });
}

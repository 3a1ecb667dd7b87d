/** Bounds how often one user logs in by passkey: each login leaves a spent challenge for five minutes. Only the holder of a passkey counts here. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { Allowances } from '../allowances.ts';
import { refuse } from '../refusals.ts';

const { loginsBurst: burst, loginEveryMs: everyMs, loginEntriesMax: entriesMax } = limits.passkeys;

const LOGINS = new Part('count of logins by passkey', () => new Allowances({ burst, everyMs, entriesMax }));

/** The table of the tenant, made on first use. */
export function loginsOf(activation: Activation): Allowances {
  return LOGINS.of(activation);
}

/** The body of the contract's rate limit (docs/contract/identity.md §7.3). */
export function refuseLogin(waitMs: number): Refusal<'rate_limited'> {
  const seconds = Math.ceil(waitMs / 1000);
  return refuse('rate_limited', {
    details: { profile: 'auth_account', retry_after_seconds: seconds },
    headers: {
      ...retryAfter(seconds),
      'X-RateLimit-Limit': String(burst),
      'X-RateLimit-Remaining': '0',
    },
  });
}

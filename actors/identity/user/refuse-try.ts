/** The refusal of a try at an account that was guessed at too often. */
import { limits } from '#config/limits.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { refuse } from '../refusals.ts';

/** The body and the headers of the contract's rate limit (docs/contract/identity.md §7.3). */
export function refuseTry(waitMs: number): Refusal<'rate_limited'> {
  const seconds = Math.ceil(waitMs / 1000);
  return refuse('rate_limited', {
    details: { profile: 'auth_account', retry_after_seconds: seconds },
    headers: {
      ...retryAfter(seconds),
      'X-RateLimit-Limit': String(limits.identity.wrongPasswordsBurst),
      'X-RateLimit-Remaining': '0',
    },
  });
}

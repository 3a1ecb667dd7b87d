/** The answer to a caller that the gate refused. */
import { refusalBody, refuserOf, type Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import type { CompiledProfile } from './profile.ts';
import { refusals } from './refusals.ts';

const refuse = refuserOf(refusals);

/** The refusal `rate_limited` with its three headers. Spec: docs/contract/identity.md §7.3. `waitMs` is the gate's answer. */
export function refuseRate(profile: CompiledProfile, waitMs: number, remaining = 0): Refusal<'rate_limited'> {
  const seconds = retrySeconds(waitMs);
  return refuse('rate_limited', {
    details: { profile: profile.name, retry_after_seconds: seconds },
    headers: rateHeaders(profile, seconds, remaining),
  });
}

/** The same as ready strings, for the door: status, headers by name, body. */
export function renderRateRefusal(profile: CompiledProfile, waitMs: number, remaining = 0) {
  const refusal = refuseRate(profile, waitMs, remaining);
  return { status: refusal.status, headers: refusal.headers!, body: refusalBody(refusal) };
}

function rateHeaders(profile: CompiledProfile, seconds: number, remaining: number): Record<string, string> {
  return {
    ...retryAfter(seconds),
    'X-RateLimit-Limit': String(profile.burst),
    'X-RateLimit-Remaining': String(remaining),
  };
}

/** Whole seconds after which a caller that waits `waitMs` may come again. */
export function retrySeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

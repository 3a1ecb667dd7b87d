/** The answer to a caller that the gate refused. */
import { refusalBody, refuserOf } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { CompiledProfile } from './profile.ts';
import { refusals } from './refusals.ts';

const refuse = refuserOf(refusals);

/** The refusal `rate_limited` with its three headers. Spec: docs/contract/identity.md §7.3. `waitMs` is the gate's answer. */
export function refuseRate(profile: CompiledProfile, waitMs: number, remaining = 0): Refusal<'rate_limited'> {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
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
    'Retry-After': String(seconds),
    'X-RateLimit-Limit': String(profile.burst),
    'X-RateLimit-Remaining': String(remaining),
  };
}

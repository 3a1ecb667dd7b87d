/** The refusal of a tenant that has used up its quota: the same words wherever it is met (docs/contract/tenants.md §3). */
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { refuserOf } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';

const refuse = refuserOf(doorRefusals);

/** `leftMs`: until the day ends and the quota begins anew. */
export function refuseQuota(requests: number, leftMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  return refuse('tenant_quota', {
    details: { quota: 'requests', per: 'day', limit: requests, retry_after_seconds: seconds },
    headers: retryAfter(seconds),
  });
}

/** The refusal of a tenant that has used up its quota of a day or a month: the same words wherever it is met (docs/contract/tenants.md §3). */
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { refuserOf, type Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import type { Counted, Per } from '#actors/protocol/usage.ts';

const refuse = refuserOf(doorRefusals);

/** `leftMs`: until the day or month ends and the quota begins anew. */
export function refuseQuota(
  { of, per, limit }: { readonly of: Counted; readonly per: Per; readonly limit: number },
  leftMs: number,
): Refusal {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  return refuse('tenant_quota', {
    details: { quota: of, per, limit, retry_after_seconds: seconds },
    headers: retryAfter(seconds),
  });
}

/**
 * Metrics of quotas: how much of each a tenant has used, of the tenants that are nearest to one of theirs. Their number is bounded, and which
 * they are changes between scrapes; others have a number of their own. Spec: docs/operate/metrics.md.
 */
import { limits } from '#config/limits.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { oneSample, type MetricFamily, type Sample } from '#runtime/observe/exposition.ts';
import type { QuotaUse, UsageMeter } from './usage-meter.ts';

interface Share {
  readonly use: QuotaUse;
  readonly ratio: number;
}

export function usageFamilies(meter: UsageMeter, tenants: readonly TenantEntry[]): MetricFamily[] {
  const nearest: Share[] = [];
  let spent = 0;
  for (const { position, quota } of tenants) {
    if (quota === undefined) continue;
    let isSpent = false;
    for (const use of meter.quotasOf(position.key, quota)) {
      const ratio = use.limit === 0 ? 1 : use.used / use.limit;
      isSpent ||= ratio >= 1;
      keepNearest(nearest, { use, ratio });
    }
    if (isSpent) spent++;
  }
  return [
    {
      name: 'skep_tenant_quota_used_ratio',
      type: 'gauge',
      help: `Used part of a quota, by tenant and quota; the ${limits.usage.seriesMax} that are nearest to their end.`,
      samples: nearest.map(sampleOf),
    },
    oneSample('skep_tenants_at_quota', 'gauge', 'Tenants that have used up a quota.', spent),
  ];
}

/** Puts a share among those that are nearest to their end, in their order; most are further away than all of these. */
function keepNearest(nearest: Share[], share: Share): void {
  const { seriesMax } = limits.usage;
  if (nearest.length === seriesMax && share.ratio <= nearest[seriesMax - 1]!.ratio) return;
  const at = nearest.findIndex(({ ratio }) => ratio < share.ratio);
  nearest.splice(at < 0 ? nearest.length : at, 0, share);
  if (nearest.length > seriesMax) nearest.pop();
}

const sampleOf = ({ use, ratio }: Share): Sample => ({
  labels: { tenant: use.tenant, quota: use.quota },
  value: ratio,
});

/** What operators are told of one tenant. */
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { UsageRow } from '#actors/protocol/usage.ts';
import type { Node } from './node.ts';
import type { DegradedEntry } from './observe/degraded.ts';
import { dayOf } from './usage/usage-meter.ts';

export interface TenantStatus {
  readonly entry: TenantEntry;
  /** Null where nothing was counted today. */
  readonly today: UsageRow | null;
  /** What of the tenant works less than it should. */
  readonly degraded: readonly DegradedEntry[];
}

/** Throws with a message for operators where the node has no such tenant. */
export async function tenantStatus(
  node: Pick<Node, 'degraded' | 'tenants' | 'usage'>,
  { tenant }: { tenant: string },
): Promise<TenantStatus> {
  const entry = node.tenants().find(({ position }) => position.key === tenant);
  if (entry === undefined)
    throw new Error(`${tenant} is not registered on this node\n    skep tenant list names those that are`);
  const day = dayOf(Date.now());
  const [today = null] = await node.usage({ tenant, from: day, to: day });
  return { entry, today, degraded: node.degraded(tenant) };
}

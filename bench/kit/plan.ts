/** A plan of the busy tenant, made and applied in the node's own name. */
import { BUSY_TENANT, type DataNode } from './data-node.ts';

interface Generated {
  readonly plan_id: string;
  readonly steps: readonly object[];
}

/** Makes a plan of what the checkout says now. Throws when it is not made whole. */
export async function makePlan(node: DataNode): Promise<Generated> {
  const { status, body } = await node.admin({ tenant: BUSY_TENANT, row: 'plan_generate', method: 'POST', body: {} });
  if (status !== 200 || 'refusals' in (body as object)) throw new Error(`no plan: ${status} ${JSON.stringify(body)}`);
  return body as Generated;
}

/** Applies a plan to its end, and gives how long that took in milliseconds. */
export async function applyPlan(node: DataNode, planId: string): Promise<number> {
  const began = performance.now();
  const request = { tenant: BUSY_TENANT, row: 'plan_apply', method: 'POST', params: [planId] } as const;
  const { status, body } = await node.admin({ ...request, body: { confirm_max_risk: 'high' } });
  if (status !== 200) throw new Error(`not applied: ${status} ${JSON.stringify(body)}`);
  return performance.now() - began;
}

/** `skep tenant provision`: through the running node when there is one, else on the stores directly. */
import type { Platform } from '#config/platform.ts';
import { callControl, runVerb } from '#runtime/control.ts';
import { startNode } from '#runtime/node.ts';
import type { ProvisionReport } from '#runtime/provision.ts';

/** Registers, bootstraps, seeds and activates a configured tenant. Idempotent: an interrupted run is resumed by another. */
export async function tenantProvision(platform: Platform, tenant: string): Promise<ProvisionReport> {
  const answered = await callControl(platform.storage.dir, 'tenant.provision', { tenant });
  if (answered !== undefined) return answered.result as ProvisionReport;
  const node = await startNode(platform, { doors: false });
  try {
    return (await runVerb(node, 'tenant.provision', { tenant })) as ProvisionReport;
  } finally {
    await node.stop();
  }
}

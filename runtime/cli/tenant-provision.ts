/** `skep tenant provision`: through the running node when there is one, else on the stores directly. */
import { loadProduct } from '#config/definitions/load-product.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { suggestion } from '#config/suggest.ts';
import { callControl } from '#runtime/control.ts';
import { runVerb } from '#runtime/control-verbs.ts';
import { startNode } from '#runtime/node.ts';
import type { ProvisionReport } from '#runtime/provision.ts';
import { CliError, EXIT } from './terminal.ts';

/** Ends the verb when the tenant is not one that the file configures, or its product does not load. */
export function checkTenant(platform: Platform, tenant: string): void {
  const node = platform.hives.tenant.find(({ key }) => key === tenant);
  if (node === undefined) {
    const known = platform.hives.tenant.map(({ key }) => key);
    const mend =
      known.length === 0 ? 'hives.tenant of the platform file is empty: add it there' : suggestion(tenant, known);
    throw new CliError(`skep: the platform file has no tenant ${tenant}\n    ${mend}\n`, EXIT.usage);
  }
  if (node.meta.localdir === undefined) return;
  const loaded = loadProduct(node.meta.localdir);
  if ('problems' in loaded) throw new CliError(renderProblems(loaded.problems), EXIT.usage);
}

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

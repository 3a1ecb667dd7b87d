/** `skep tenant provision`: through the running node when there is one, else on the stores directly. */
import type { Platform } from '#config/platform.ts';
import { suggestion } from '#config/values/suggest.ts';
import { productFaults } from '#runtime/product-faults.ts';
import type { ProvisionReport } from '#runtime/provision.ts';
import { faultsOf } from './check-products.ts';
import { askNode } from './operator-verb.ts';
import type { Row } from './output.ts';
import { seedOf, type PersonOptions } from './person-options.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

/** Ends the verb when the file does not configure the tenant, or its product does not load. */
async function checkTenant(platform: Platform, tenant: string): Promise<void> {
  const node = platform.hives.tenant.find(({ key }) => key === tenant);
  if (node === undefined) {
    const known = platform.hives.tenant.map(({ key }) => key);
    const mend =
      known.length === 0 ? 'hives.tenant of the platform file is empty: add it there' : suggestion(tenant, known);
    throw new CliError(`skep: the platform file has no tenant ${tenant}\n    ${mend}\n`, EXIT.usage);
  }
  if (node.meta.localdir === undefined) return;
  const faults = await faultsOf(platform, node.meta.localdir, productFaults);
  if (faults !== '') throw new CliError(faults, EXIT.usage);
}

/**
 * Registers a configured tenant, makes its stores, seeds its administrator and activates it; `skep data seed run` applies the seeds of its product.
 * Idempotent: another run continues an interrupted one. A password that was generated here is shown once.
 */
export async function tenantProvision(
  platform: Platform,
  options: PersonOptions & { readonly tenant: string },
  terminal: Terminal,
): Promise<Row> {
  const { tenant } = options;
  await checkTenant(platform, tenant);
  const seed = await seedOf(options, terminal);
  const onStep = (step: string): void => terminal.err(`${tenant}: ${step}\n`);
  const body = { tenant, admin: seed?.person ?? null };
  const report = (await askNode(platform, 'tenant.provision', body, onStep)) as ProvisionReport;
  const shown = { tenant: report.tenant, state: report.state, schema_steps: report.steps.length };
  if (seed === null || report.admin === null) return shown;
  const password = seed.generated && report.admin === 'seeded' ? { password: seed.person.password } : {};
  return { ...shown, admin: `${seed.person.email} (${report.admin})`, ...password };
}

/** The product of a tenant, from the checkout that the platform file names. */
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { contentSourceOf } from '#config/resolve-content.ts';
import { suggestion } from '#config/values/suggest.ts';
import { CliError, EXIT } from './terminal.ts';

/** Ends the verb where the file has no such tenant, the tenant no checkout on this machine, or the checkout problems. */
export function productOf(platform: Platform, tenant: string): ProductDefinition {
  const nodes = platform.hives.tenant;
  const node = nodes.find(({ key }) => key === tenant);
  const known = nodes.map(({ key }) => key);
  if (node === undefined)
    throw usage(
      `the platform file has no tenant ${tenant}`,
      known.length === 0 ? 'add it under hives.tenant' : suggestion(tenant, known),
    );
  const { localdir } = node.meta;
  if (localdir === undefined)
    throw usage(
      `${tenant} has no checkout on this machine`,
      'set meta.localdir of its node to the folder of the product, in a copy of the platform file',
    );
  const loaded = loadProduct(localdir, { content: contentSourceOf(platform) });
  if ('problems' in loaded) throw new CliError(renderProblems(loaded.problems), EXIT.usage);
  return loaded.product;
}

const usage = (message: string, mend: string): CliError => new CliError(`skep: ${message}\n    ${mend}\n`, EXIT.usage);

/** The shop with sessions: a checkout of its own, since a product says for all of its tenants whether sessions are managed. */
import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const shop = fileURLToPath(new URL('./products/shop/', import.meta.url));

/** Writes the checkout under `dir` and gives its path; `settings` are lines of product.yaml. */
export function writeManagedProduct(dir: string, settings: string): string {
  const checkout = join(dir, 'managed-shop');
  cpSync(shop, checkout, { recursive: true });
  appendFileSync(join(checkout, 'product.yaml'), `\n${settings}\n`);
  return checkout;
}

/** The product `registers`, whose rows have ids of the callers' own and whose orders fire a webhook: a copy of it whose webhooks go to a server. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const product = fileURLToPath(new URL('./products/registers', import.meta.url));

/** Secrets of a product come from the environment of its node. */
process.env['SKEP_TEST_TRIGGER'] ??= 'trigger-secret';

/** Writes the checkout below `dir`, and gives its path. `receiver`: host and port. */
export function writeRegisterProduct(dir: string, receiver: string): string {
  const checkout = join(dir, 'registers');
  cpSync(product, checkout, { recursive: true });
  const file = join(checkout, 'triggers', 'told.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('http://127.0.0.1:1/', `http://${receiver}/`));
  return checkout;
}

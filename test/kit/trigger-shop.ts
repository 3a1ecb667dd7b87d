/** The product `triggers`, whose orders fire triggers of every kind: a copy of it whose webhooks go to a port. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const product = fileURLToPath(new URL('./products/triggers', import.meta.url));

/** Secrets of a product come from the environment of its node. */
process.env['SKEP_TEST_TRIGGER'] ??= 'trigger-secret';

/** Writes the checkout below `dir`, and gives its path. */
export function writeTriggerShop(dir: string, port: number): string {
  const checkout = join(dir, 'trigger-shop');
  cpSync(product, checkout, { recursive: true });
  for (const name of readdirSync(join(checkout, 'triggers'))) {
    const file = join(checkout, 'triggers', name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('http://127.0.0.1:1/', `http://127.0.0.1:${port}/`));
  }
  return checkout;
}

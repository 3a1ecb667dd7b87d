/** The product of the bench's own nodes and functions: copied, for cases that plan edit it, and with a BFF where there is an upstream. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';

const kit = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Checkouts of the bench's nodes. */
export type Checkout = 'product' | 'hostile';

/** Copies the checkout to a directory. `upstream`: the origin that the endpoints of `product-bff` call. */
export function layProduct(dir: string, upstream?: string, checkout: Checkout = 'product'): void {
  cpSync(kit(checkout === 'hostile' ? '../hostile/product' : './product'), dir, { recursive: true });
  if (upstream === undefined) return;
  mkdirSync(join(dir, 'bff'));
  appendFileSync(join(dir, 'product.yaml'), 'outbound: { hosts: [127.0.0.1] }\n');
  for (const name of readdirSync(kit('./product-bff'))) {
    const text = readFileSync(join(kit('./product-bff'), name), 'utf8');
    writeFileSync(join(dir, 'bff', name), text.replaceAll('UPSTREAM', upstream));
  }
}

/** The definitions of a checkout, read anew. */
export function readProduct(dir: string): ProductDefinition {
  const loaded = loadProduct(dir, { env: {} });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.product;
}

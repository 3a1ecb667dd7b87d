/** Products of the bench's own nodes and functions: copied, for cases that plan edit them; the first has a BFF where there is an upstream. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';

const kit = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Checkouts of the bench's nodes. */
export type Checkout = keyof typeof CHECKOUTS;
const CHECKOUTS = { product: './product', hostile: '../hostile/product', posts: './product-posts' } as const;

/** Copies the checkout to a directory. `upstream`: the origin that endpoints of `product-bff` and triggers call. */
export function layProduct(dir: string, upstream?: string, checkout: Checkout = 'product'): void {
  cpSync(kit(CHECKOUTS[checkout]), dir, { recursive: true });
  if (upstream === undefined) return;
  appendFileSync(join(dir, 'product.yaml'), 'outbound: { hosts: [127.0.0.1] }\n');
  if (checkout === 'posts') layFor(upstream, join(dir, 'triggers'), join(dir, 'triggers'));
  else layFor(upstream, kit('./product-bff'), join(dir, 'bff'));
}

function layFor(upstream: string, from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const text = readFileSync(join(from, name), 'utf8');
    writeFileSync(join(to, name), text.replaceAll('UPSTREAM', upstream));
  }
}

/** The definitions of a checkout, read anew. */
export function readProduct(dir: string): ProductDefinition {
  const loaded = loadProduct(dir, { env: {} });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.product;
}

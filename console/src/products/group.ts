/** Products as their tenants show them: a node keeps no list of products. Pure. */
import type { Tenant } from '../tenants/shapes.ts';
import { productOf } from './paths.ts';

export interface Product {
  /** `customer:product:env`. */
  readonly key: string;
  readonly tenants: readonly Tenant[];
  /** Those that are served, that of most tenants first. */
  readonly revisions: readonly Served[];
  readonly sources: readonly string[];
}

export interface Served {
  readonly revision: string;
  readonly tenants: number;
}

/** By key; planes of operators run no product. */
export function productsOf(tenants: readonly Tenant[]): readonly Product[] {
  const groups = new Map<string, Tenant[]>();
  for (const one of tenants) {
    if (one.product_source === null) continue;
    const key = productOf(one.key);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups]
    .map(([key, of]) => ({
      key,
      tenants: of,
      revisions: servedBy(of),
      sources: [...new Set(of.map(({ product_source }) => product_source ?? ''))],
    }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function servedBy(tenants: readonly Tenant[]): readonly Served[] {
  const counts = new Map<string, number>();
  for (const { revision } of tenants) if (revision !== null) counts.set(revision, (counts.get(revision) ?? 0) + 1);
  return [...counts]
    .map(([revision, count]) => ({ revision, tenants: count }))
    .toSorted((a, b) => b.tenants - a.tenants || (a.revision < b.revision ? -1 : 1));
}

/** How people name a revision: its first signs. */
export const shortOf = (revision: string): string => revision.slice(0, 12);

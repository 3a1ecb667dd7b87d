/** What the address says of the list of tenants, and of one of them. Pure. */
import { plain } from '../frame/search.ts';
import type { Search } from '../frame/search.ts';

export interface TenantsSearch {
  /** A part of the key; absent for all. */
  readonly q?: string;
}

export const readTenantsSearch = ({ q }: Search): TenantsSearch =>
  q === undefined || q === '' ? {} : { q: plain([q].flat()[0]) };

export interface TenantSearch {
  /** The plan that is open. */
  readonly plan?: string;
}

export const readTenantSearch = ({ plan }: Search): TenantSearch =>
  plan === undefined || plan === '' ? {} : { plan: plain([plan].flat()[0]) };

/** A key as people write it, with `/` and blanks, as the node has it. */
export const asKeyPart = (text: string): string => text.trim().replaceAll(/\s*[/:]\s*/g, ':');

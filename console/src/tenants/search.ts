/** What the address says of the list of tenants, and of one of them. Pure. */
import { plain, type Search } from '../frame/search.ts';
import { actNamed, type ActName } from './acts.ts';

export interface TenantsSearch {
  /** A part of the key; absent for all. */
  readonly q?: string;
}

export const readTenantsSearch = ({ q }: Search): TenantsSearch =>
  q === undefined || q === '' ? {} : { q: plain([q].flat()[0]) };

export interface TenantSearch {
  /** The plan that is open. */
  readonly plan?: string;
  /** Where a plan is to lead at first. */
  readonly aim?: 'former';
  /** The command whose sheet is open. */
  readonly act?: ActName;
  /** The backup of the whole node that it is about. */
  readonly set?: string;
}

const first = (value: unknown): string => (value === undefined ? '' : plain([value].flat()[0]));

export function readTenantSearch({ plan, aim, act, set }: Search): TenantSearch {
  const name = actNamed(first(act));
  return {
    ...(first(plan) !== '' && { plan: first(plan) }),
    ...(first(aim) === 'former' && { aim: 'former' as const }),
    ...(name !== undefined && { act: name }),
    ...(first(set) !== '' && { set: first(set) }),
  };
}

/** A key as people write it, with `/` and blanks, as the node has it. */
export const asKeyPart = (text: string): string => text.trim().replaceAll(/\s*[/:]\s*/g, ':');

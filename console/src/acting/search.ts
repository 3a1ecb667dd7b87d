/** What the address of acting for a person proposes. Pure. */
import { plain, type Search } from '../frame/search.ts';

export interface ActSearch {
  /** The last of a tenant's four names. */
  readonly tenant?: string;
  /** Where it leads: the scratchpad in place of the rows. */
  readonly to?: 'scratchpad';
}

export function readActSearch({ tenant, to }: Search): ActSearch {
  const text = tenant === undefined ? '' : plain([tenant].flat()[0]);
  return { ...(text !== '' && { tenant: text }), ...(to === 'scratchpad' && { to: 'scratchpad' }) };
}

/** What the address says of the list of people. Pure. */
import { plain, type Search } from '../frame/search.ts';

/** Whom the list shows: accounts alone or guests alone; all without it. */
export type Kind = 'accounts' | 'guests';

export interface PeopleSearch {
  /** The beginning of an address or a name; absent for all. */
  readonly q?: string;
  readonly show?: Kind;
  /** Those who have this role alone. */
  readonly role?: string;
  /** The id of the person whose sheet is open. */
  readonly user?: string;
}

/** The search of an address, whatever a person has written there. */
export function readPeopleSearch({ q, show, role, user }: Search): PeopleSearch {
  const text = (value: unknown): string => (value === undefined ? '' : plain([value].flat()[0]));
  const kind = text(show);
  return {
    ...(text(q) !== '' && { q: text(q) }),
    ...((kind === 'accounts' || kind === 'guests') && { show: kind }),
    ...(text(role) !== '' && { role: text(role) }),
    ...(text(user) !== '' && { user: text(user) }),
  };
}

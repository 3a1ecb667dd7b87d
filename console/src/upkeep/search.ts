/** What the address says of the upkeep of a tenant. Pure. */
import { plain, type Search } from '../frame/search.ts';

export interface UpkeepSearch {
  /** The resource of the lock whose sheet is open. */
  readonly lock?: string;
  /** The name of the seed whose sheet is open. */
  readonly seed?: string;
}

/** One of them at most: a sheet lies over no other. */
export function readUpkeepSearch({ lock, seed }: Search): UpkeepSearch {
  const text = (value: unknown): string => (value === undefined ? '' : plain([value].flat()[0]));
  if (text(lock) !== '') return { lock: text(lock) };
  return text(seed) === '' ? {} : { seed: text(seed) };
}

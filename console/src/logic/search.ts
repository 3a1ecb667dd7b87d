/** What the addresses of actions and endpoints say. Pure. */
import { plain, type Search } from '../frame/search.ts';

export interface CallSearch {
  /** The operation, as `POST /data/actions/suggest`. */
  readonly operation?: string;
}

export function readCallSearch({ operation }: Search): CallSearch {
  const text = operation === undefined ? '' : plain([operation].flat()[0]);
  return text === '' ? {} : { operation: text };
}

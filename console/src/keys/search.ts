/** What the address says of the list of keys, and what a form of one says. Pure. */
import { plain, type Search } from '../frame/search.ts';

export interface KeySearch {
  /** The id of the key whose sheet is open. */
  readonly key?: string;
}

/** The search of an address, whatever a person has written there. */
export function readKeySearch({ key }: Search): KeySearch {
  const text = key === undefined ? '' : plain([key].flat()[0]);
  return text === '' ? {} : { key: text };
}

/** Addresses and ranges that commas, blanks or lines part. */
export const addressesIn = (text: string): readonly string[] => text.split(/[\s,;]+/).filter((one) => one !== '');

/** The grant of a tenant alone, in the order in which grants have its names (docs/contract/common.md §1.2). */
export function grantOf(placeKey: string): string {
  const [customer = '', product = '', env = '', tenant = ''] = placeKey.split(':');
  return [customer, env, product, tenant].join(':');
}

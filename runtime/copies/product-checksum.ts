/** One hash over the content of a product's definitions, independent of where the checkout lies and of the order of reading. */
import { hash } from 'node:crypto';
import type { ActionDefinition, ProductDefinition } from '#config/definitions/product.ts';

/** SHA-256 in hex. Positions in files are left out. */
export function productChecksum(product: ProductDefinition): string {
  const actions = product.actions?.map((action) => ({ ...action, sections: withoutPlaces(action.sections) }));
  return checksumOf(actions === undefined ? product : { ...product, actions });
}

function withoutPlaces(sections: ActionDefinition['sections']): object {
  const described = Object.entries(sections).map(([name, { sql, ...others }]) => [name, { ...others, sql: sql.text }]);
  return Object.fromEntries(described) as object;
}

/** The same with the positions of actions' statements: backups of an earlier Skep identify a product by it. */
export const checksumOfBefore = (product: ProductDefinition): string => checksumOf(product);

function checksumOf(product: object): string {
  return hash('sha256', JSON.stringify(plain(product)), 'hex');
}

/** A position in a file. */
const PLACES: ReadonlySet<string> = new Set(['where', 'sourceAt', 'scriptsAt']);

function plain(value: unknown): unknown {
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (value instanceof Set) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint' || value instanceof RegExp) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !PLACES.has(name));
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, plain(one)]));
}

/** What a product's definitions ask of the schema, in one value: whether two readings of the checkout ask for the same. */
import { hash } from 'node:crypto';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { desiredEntity } from './desired.ts';
import { rulesOf } from './rules.ts';

/** Rules, masks and settings do not count. Throws DefinitionError for definitions that make no schema. */
export function declarationOf(product: ProductDefinition): string {
  const entities = Object.values(product.entities).map((definition) => {
    const { name, fields, indexes } = desiredEntity(product, definition);
    return [name, fields.map((field) => [field.name, field.type, rulesOf(field.definition)]), indexes];
  });
  return hash('sha256', JSON.stringify(entities), 'hex');
}

/** A hash of everything that a product's definitions ask of the schema: shows whether two readings of the checkout ask for the same. */
import type { Steps } from '#actors/kit/pace/steps.ts';
import { hash } from 'node:crypto';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { desiredEntity } from './desired.ts';
import { rulesOf } from './rules.ts';

/** The hash, in steps of one entity each. Rules, masks and settings are not part of it. Throws DefinitionError for definitions that make no schema. */
export function* declarationSteps(product: ProductDefinition): Steps<string> {
  const entities: unknown[] = [];
  for (const definition of Object.values(product.entities)) {
    const { name, fields, indexes, text } = desiredEntity(product, definition);
    const rules = fields.map((field) => [field.name, field.type, rulesOf(field.definition)]);
    entities.push(text === null ? [name, rules, indexes] : [name, rules, indexes, text]);
    yield;
  }
  return hash('sha256', JSON.stringify(entities), 'hex');
}

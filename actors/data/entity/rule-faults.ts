/** Rules of entities that do not compile, for those who look before they serve. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import { entityRules } from './model.ts';

/** What is wrong with them, each with its place; the first one of each entity. */
export function entityRuleFaults({ entities }: ProductDefinition): string[] {
  return Object.values(entities).flatMap((entity) => {
    try {
      entityRules(entity);
      return [];
    } catch (error) {
      if (error instanceof DefinitionError) return [error.message];
      throw error;
    }
  });
}

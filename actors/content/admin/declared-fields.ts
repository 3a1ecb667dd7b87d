/** The fields that a content type declares, without those that every document has. */
import { DOCUMENT_FIELDS } from '#config/definitions/content/document-fields.ts';
import type { FieldDefinition, ProductDefinition } from '#config/definitions/product.ts';

type Declared = readonly [name: string, field: FieldDefinition];

/** In the order of the type's file; the primary key is the service's. */
export function declaredFields({ entities }: ProductDefinition, entity: string): readonly Declared[] {
  const fields = Object.entries(entities[entity]?.fields ?? {});
  return fields.filter(([name]) => name !== 'id' && !DOCUMENT_FIELDS.has(name));
}

/** Which fields of an entity are served: what its definition and its stored schema say of each. */
import type { EntityDefinition } from '#config/definitions/product.ts';
import type { DesiredEntity, DesiredField } from '../schema/desired.ts';
import type { StoredEntity } from '../schema/stored.ts';
import { bare } from './stored-checks.ts';

/** A field with its place in the stored row. */
export interface ServedField extends DesiredField {
  readonly slot: number;
}

/** Fields that are both declared and stored, with the stored type: that is what the rows hold. A field newer than the schema is not served. */
export function servedFields(desired: DesiredEntity, stored: StoredEntity): ServedField[] {
  return desired.fields.flatMap((field) => {
    const place = stored.fields.find((other) => other.name === field.name);
    if (place === undefined) return [];
    const definition = place.type === field.type ? field.definition : bare(field.definition, place.type);
    return { ...field, definition, type: place.type, slot: place.slot };
  });
}

/** The stored fields, with their stored types, for an entity whose definition is faulty. */
export function storedAsDesired({ name, fields }: EntityDefinition, stored: StoredEntity): DesiredEntity {
  const shown = stored.fields.map((field) => {
    const { mask } = fields[field.name] ?? {};
    return {
      name: field.name,
      type: field.type,
      definition: bare({ type: field.type, ...(mask && { mask }) }, field.type),
    };
  });
  return { name, fields: shown, indexes: [], text: null };
}

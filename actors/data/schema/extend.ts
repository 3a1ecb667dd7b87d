/** The stored schema with additive steps taken: tables, slots and index numbers are given here and never change again. */
import type { EntityDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { compileField } from '#actors/kit/field-check.ts';
import { declared } from './desired.ts';
import type { SchemaStep } from './diff.ts';
import type { StoredEntity, StoredField, StoredIndex, StoredSchema } from './stored.ts';

interface Growing {
  readonly name: string;
  readonly table: number;
  readonly fields: StoredField[];
  readonly indexes: StoredIndex[];
}

/** Takes the steps in order; throws when table numbers run out (two bytes of a key). */
export function extendSchema(
  stored: StoredSchema,
  steps: readonly SchemaStep[],
  product: ProductDefinition,
): StoredSchema {
  let nextTable = stored.nextTable;
  const give = (): number => {
    if (nextTable > limits.data.tableNoMax) throw new Error('no table numbers are left in this datastore');
    return nextTable++;
  };
  const entities = new Map(stored.entities.map((entity) => [entity.name, growing(entity)]));
  for (const step of steps) {
    if (step.kind === 'add_entity')
      entities.set(step.entity, { name: step.entity, table: give(), fields: [], indexes: [] });
    else takeStep(entities.get(step.entity)!, step, product, give);
  }
  return { nextTable, entities: [...entities.values()] };
}

function growing(entity: StoredEntity): Growing {
  return { ...entity, fields: [...entity.fields], indexes: [...entity.indexes] };
}

function takeStep(
  entity: Growing,
  step: Exclude<SchemaStep, { kind: 'add_entity' }>,
  product: ProductDefinition,
  give: () => number,
): void {
  if (step.kind === 'add_index') {
    entity.indexes.push({ no: give(), fields: step.index.fields, unique: step.index.unique });
    return;
  }
  const slot = entity.fields.length;
  const absent = defaultOf(declared(product.entities, entity.name)!, step.field, step.type);
  entity.fields.push({ name: step.field, type: step.type, slot, absent });
}

/** What rows that are already there will show in the new field. */
function defaultOf(entity: EntityDefinition, field: string, type: StoredField['type']): unknown {
  const definition = declared(entity.fields, field);
  if (definition === undefined) return null;
  return compileField(field, definition, type, entity.where).default ?? null;
}

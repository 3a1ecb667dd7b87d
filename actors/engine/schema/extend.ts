/** The stored schema with additive steps taken: tables, slots and index numbers are given here and never change again. */
import type { EntityDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { compileField } from '#actors/kit/field-check.ts';
import { declared, KEY_FIELD, keyDefinition } from './desired.ts';
import type { SchemaStep } from './diff.ts';
import { rulesOf } from './rules.ts';
import { nextSlotOf } from './stored.ts';
import type { StoredEntity, StoredField, StoredIndex, StoredSchema, StoredText } from './stored.ts';

interface Growing {
  readonly name: string;
  readonly table: number;
  readonly fields: StoredField[];
  readonly indexes: StoredIndex[];
  texts?: StoredText[];
  nextSlot?: number;
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
  return { ...stored, nextTable, entities: [...entities.values()] };
}

function growing(entity: StoredEntity): Growing {
  const { texts, ...others } = entity;
  const copied = { ...others, fields: [...entity.fields], indexes: [...entity.indexes] };
  return texts === undefined ? copied : { ...copied, texts: [...texts] };
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
  if (step.kind === 'add_text') {
    entity.texts = [...(entity.texts ?? []), { no: give(), ...step.text }];
    return;
  }
  const slot = nextSlotOf(entity);
  const definition = declared(product.entities, entity.name)!;
  const absent = defaultOf(definition, step.field, step.type);
  const rules = rulesOf(
    step.field === KEY_FIELD
      ? keyDefinition(definition)
      : (declared(definition.fields, step.field) ?? { type: step.type }),
  );
  entity.fields.push({ name: step.field, type: step.type, slot, absent, rules });
  if (entity.nextSlot !== undefined) entity.nextSlot = slot + 1;
}

/** The value that existing rows will show in the new field. */
function defaultOf(entity: EntityDefinition, field: string, type: StoredField['type']): unknown {
  const definition = declared(entity.fields, field);
  if (definition === undefined) return null;
  return compileField(field, definition, type, entity.where).default ?? null;
}

/** Compares definitions with the stored schema: the additive steps that can be taken, and the changes that need a migration plan. */
import { atOnce, type Steps } from '#actors/kit/pace/steps.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { desiredEntity, sameFields, sameText } from './desired.ts';
import type { DesiredEntity, DesiredIndex, DesiredText } from './desired.ts';
import type { StoredEntity, StoredSchema, StoredType } from './stored.ts';

export type SchemaStep =
  | { readonly kind: 'add_entity'; readonly entity: string }
  | { readonly kind: 'add_field'; readonly entity: string; readonly field: string; readonly type: StoredType }
  | { readonly kind: 'add_index'; readonly entity: string; readonly index: DesiredIndex }
  | { readonly kind: 'add_text'; readonly entity: string; readonly text: DesiredText };

/** A change that is not additive: reported, never applied here. */
export interface SchemaConflict {
  readonly kind: 'remove_entity' | 'remove_field' | 'retype_field' | 'remove_index' | 'remove_text' | 'change_text';
  readonly entity: string;
  readonly name: string;
  readonly message: string;
}

export interface SchemaDiff {
  readonly steps: readonly SchemaStep[];
  readonly conflicts: readonly SchemaConflict[];
}

/** Compares a product's entities with the stored schema. Throws DefinitionError for definitions that make no schema. */
export function diffSchema(stored: StoredSchema, product: ProductDefinition): SchemaDiff {
  return atOnce(diffSteps(stored, product));
}

/** The same in steps of one entity each. */
export function* diffSteps(stored: StoredSchema, product: ProductDefinition): Steps<SchemaDiff> {
  const steps: SchemaStep[] = [];
  const conflicts: SchemaConflict[] = [];
  const known = new Map(stored.entities.map((entity) => [entity.name, entity]));
  for (const definition of Object.values(product.entities)) {
    const desired = desiredEntity(product, definition);
    const present = known.get(desired.name);
    known.delete(desired.name);
    if (present === undefined) addEntity(desired, steps);
    else compareEntity(present, desired, steps, conflicts);
    yield;
  }
  for (const name of known.keys()) conflicts.push(conflict('remove_entity', name, name));
  return { steps, conflicts };
}

function addEntity(desired: DesiredEntity, steps: SchemaStep[]): void {
  steps.push({ kind: 'add_entity', entity: desired.name });
  for (const { name, type } of desired.fields)
    steps.push({ kind: 'add_field', entity: desired.name, field: name, type });
  for (const index of desired.indexes) steps.push({ kind: 'add_index', entity: desired.name, index });
  if (desired.text !== null) steps.push({ kind: 'add_text', entity: desired.name, text: desired.text });
}

function compareEntity(
  present: StoredEntity,
  desired: DesiredEntity,
  steps: SchemaStep[],
  conflicts: SchemaConflict[],
): void {
  const entity = present.name;
  for (const { name, type } of desired.fields) {
    const field = present.fields.find((other) => other.name === name);
    if (field === undefined) steps.push({ kind: 'add_field', entity, field: name, type });
    else if (field.type !== type) conflicts.push(conflict('retype_field', entity, name, `${field.type} to ${type}`));
  }
  for (const { name } of present.fields)
    if (!desired.fields.some((other) => other.name === name)) conflicts.push(conflict('remove_field', entity, name));
  for (const index of desired.indexes)
    if (!hasIndex(present.indexes, index)) steps.push({ kind: 'add_index', entity, index });
  for (const index of present.indexes)
    if (!hasIndex(desired.indexes, index)) conflicts.push(conflict('remove_index', entity, index.fields.join(', ')));
  compareText(present, desired, steps, conflicts);
}

function compareText(
  { name: entity, texts = [] }: StoredEntity,
  { text }: DesiredEntity,
  steps: SchemaStep[],
  conflicts: SchemaConflict[],
): void {
  const present = texts.find(({ building }) => building !== true);
  if (present === undefined && text !== null) steps.push({ kind: 'add_text', entity, text });
  else if (present !== undefined && text === null)
    conflicts.push(conflict('remove_text', entity, present.fields.join(', ')));
  else if (present !== undefined && text !== null && !sameText(present, text))
    conflicts.push(conflict('change_text', entity, text.fields.join(', ')));
}

function hasIndex(list: readonly DesiredIndex[], index: DesiredIndex): boolean {
  return list.some((other) => other.unique === index.unique && sameFields(other.fields, index.fields));
}

function conflict(kind: SchemaConflict['kind'], entity: string, name: string, change = ''): SchemaConflict {
  const message = `${kind.replace('_', ' ')} ${entity}${name === entity ? '' : `.${name}`}${change && `: ${change}`}`;
  return { kind, entity, name, message };
}

/** Compares definitions with the stored schema: every change that is needed to make them equal. */
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { EntityDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { compileField } from '#actors/kit/field-check.ts';
import type { Change, NewField } from './change.ts';
import { desiredEntity, KEY_FIELD, sameFields, sameText } from './desired.ts';
import type { DesiredEntity, DesiredField, DesiredIndex, DesiredText } from './desired.ts';
import { narrowing, rulesOf, sameRules, type FieldRules } from './rules.ts';
import { takesNull } from '#config/values/constraint.ts';
import type { StoredEntity, StoredField, StoredSchema } from './stored.ts';

/** A change that no step can make, and why. */
export interface Impossible {
  readonly entity: string;
  readonly name: string;
  readonly why: string;
}

export interface Changes {
  readonly changes: readonly Change[];
  readonly impossible: readonly Impossible[];
}

/** The changes; new entities after those that they refer to, except in cycles. Throws DefinitionError for definitions that make no schema. */
export function changesOf(stored: StoredSchema, product: ProductDefinition): Changes {
  const steps = changeSteps(stored, product);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of one entity each. */
export function* changeSteps(stored: StoredSchema, product: ProductDefinition): Steps<Changes> {
  const found = new Collected();
  const known = new Map(stored.entities.map((entity) => [entity.name, entity]));
  for (const definition of inOrder(product)) {
    const desired = desiredEntity(product, definition);
    const present = known.get(definition.name);
    known.delete(definition.name);
    if (present === undefined) create(desired, definition, found);
    else compare(present, desired, definition, found);
    yield;
  }
  for (const entity of known.keys()) found.changes.push({ op: 'drop_entity', entity });
  return found;
}

class Collected implements Changes {
  readonly changes: Change[] = [];
  readonly impossible: Impossible[] = [];
}

/** The entities, each after those that it refers to, except in cycles. */
function inOrder({ entities }: ProductDefinition): EntityDefinition[] {
  const done = new Set<string>();
  const out: EntityDefinition[] = [];
  const visit = (definition: EntityDefinition): void => {
    if (done.has(definition.name)) return;
    done.add(definition.name);
    for (const { ref } of Object.values(definition.fields)) {
      const target = ref === undefined || !Object.hasOwn(entities, ref.entity) ? undefined : entities[ref.entity];
      if (target !== undefined) visit(target);
    }
    out.push(definition);
  };
  for (const definition of Object.values(entities)) visit(definition);
  return out;
}

function create(desired: DesiredEntity, definition: EntityDefinition, { changes }: Collected): void {
  const entity = desired.name;
  const fields = desired.fields.map((field) => newField(field, definition));
  changes.push({ op: 'create_entity', entity, fields, traits: definition.traits });
  for (const { fields: names, unique } of desired.indexes)
    changes.push({ op: 'add_index', entity, fields: names, unique, fresh: true });
  if (desired.text !== null) changes.push({ op: 'add_text', entity, text: desired.text, fresh: true, replaces: false });
}

function newField(field: DesiredField, { where }: EntityDefinition): NewField {
  const { name, type, definition } = field;
  const absent = compileField(name, definition, type, where).default ?? null;
  return { name, type, rules: rulesOf(definition), absent };
}

function compare(
  present: StoredEntity,
  desired: DesiredEntity,
  definition: EntityDefinition,
  { changes, impossible }: Collected,
): void {
  const entity = present.name;
  const retyped = new Set<string>();
  for (const field of desired.fields) {
    const old = present.fields.find(({ name }) => name === field.name);
    if (old === undefined) changes.push({ op: 'add_field', entity, field: newField(field, definition) });
    else if (old.type === field.type) changes.push(...altered(entity, old, field, definition));
    else if (field.name === KEY_FIELD) impossible.push({ entity, name: KEY_FIELD, why: keyRetyped(old, field) });
    else {
      retyped.add(field.name);
      changes.push({
        op: 'retype_field',
        entity,
        field: field.name,
        from: old.type,
        to: field.type,
        rules: rulesOf(field.definition),
      });
    }
  }
  const stays = ({ fields }: DesiredIndex): boolean => !fields.some((name) => retyped.has(name));
  for (const { fields, unique } of desired.indexes)
    if (!stays({ fields, unique }) || !hasIndex(present.indexes, { fields, unique }))
      changes.push({ op: 'add_index', entity, fields, unique, fresh: false });
  for (const { fields, unique } of present.indexes)
    if (!hasIndex(desired.indexes, { fields, unique })) changes.push({ op: 'drop_index', entity, fields, unique });
  changes.push(...textChange(present, desired, retyped));
  for (const { name } of present.fields)
    if (!desired.fields.some((field) => field.name === name)) changes.push({ op: 'drop_field', entity, field: name });
}

/** Another text index than there is. It also takes the place of one that a change of a field's type or the end of a field drops. */
function textChange(
  { name: entity, texts = [] }: StoredEntity,
  { text, fields }: DesiredEntity,
  retyped: Set<string>,
): Change[] {
  const present = texts.find(({ building }) => building !== true);
  if (text === null) return present === undefined ? [] : [{ op: 'drop_text', entity, text: present }];
  const stays = ({ fields: names }: DesiredText): boolean =>
    names.every((name) => !retyped.has(name) && fields.some((field) => field.name === name));
  if (present !== undefined && sameText(present, text) && stays(text)) return [];
  return [{ op: 'add_text', entity, text, fresh: false, replaces: present !== undefined && stays(present) }];
}

const keyRetyped = (old: StoredField, now: DesiredField): string =>
  `the key of an entity keeps its type: ${old.type} cannot become ${now.type}`;

/** Changes of constraints. A field that no longer takes null and has a default is filled first. */
function altered(entity: string, old: StoredField, field: DesiredField, definition: EntityDefinition): Change[] {
  const to = rulesOf(field.definition);
  const from: FieldRules = old.rules ?? to;
  if (sameRules(from, to)) return [];
  const { name, type } = field;
  const words = narrowing(from, to);
  const alter: Change = { op: 'alter_field', entity, field: name, type, from, to, narrowing: words };
  const value: unknown = newField(field, definition).absent;
  if (!takesNull(from) || takesNull(to) || value === null) return [alter];
  return [{ op: 'fill_field', entity, field: name, type, value }, alter];
}

function hasIndex(list: readonly DesiredIndex[], index: DesiredIndex): boolean {
  return list.some((other) => other.unique === index.unique && sameFields(other.fields, index.fields));
}

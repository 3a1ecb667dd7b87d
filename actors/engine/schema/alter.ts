/** The stored schema with one change made. Pure: the caller stages the result in its turn. */
import { limits } from '#config/limits.ts';
import { positionOf } from '../rows/codec.ts';
import type { AddField, AddIndex, AddText, CreateEntity, RetypeField } from './change.ts';
import { sameFields, sameText, type DesiredIndex, type DesiredText } from './desired.ts';
import type { FieldRules } from './rules.ts';
import { nextSlotOf } from './stored.ts';
import type { Garbage, StoredEntity, StoredField, StoredIndex, StoredSchema, StoredText } from './stored.ts';

/** Throws when table numbers run out (two bytes of a key). */
function giveTable({ nextTable }: StoredSchema): number {
  if (nextTable > limits.data.tableNoMax) throw new Error('no table numbers are left in this datastore');
  return nextTable;
}

export function entityOf(schema: StoredSchema, name: string): StoredEntity {
  const found = schema.entities.find((entity) => entity.name === name);
  if (found === undefined) throw new Error(`the stored schema has no entity ${name}`);
  return found;
}

function withEntity(schema: StoredSchema, changed: StoredEntity): StoredSchema {
  return { ...schema, entities: schema.entities.map((entity) => (entity.name === changed.name ? changed : entity)) };
}

function withField(schema: StoredSchema, entity: StoredEntity, changed: StoredField): StoredSchema {
  const fields = entity.fields.map((field) => (field.name === changed.name ? changed : field));
  return withEntity(schema, { ...entity, fields });
}

export function fieldOf(entity: StoredEntity, name: string): StoredField {
  const found = entity.fields.find((field) => field.name === name);
  if (found === undefined) throw new Error(`the stored schema has no field ${entity.name}.${name}`);
  return found;
}

export function createEntity(schema: StoredSchema, { entity, fields }: CreateEntity): StoredSchema {
  const table = giveTable(schema);
  const stored = fields.map(({ name, type, rules, absent }, slot) => ({ name, type, slot, absent, rules }));
  const added: StoredEntity = { name: entity, table, fields: stored, indexes: [] };
  return { ...schema, nextTable: table + 1, entities: [...schema.entities, added] };
}

export function addField(schema: StoredSchema, { entity: name, field }: AddField): StoredSchema {
  const entity = entityOf(schema, name);
  const slot = nextSlotOf(entity);
  return withEntity(schema, { ...entity, fields: [...entity.fields, { ...field, slot }], ...grown(entity, slot) });
}

/** `nextSlot` for an entity that stores it: one where fields were dropped, so that it is no longer the number of fields. */
function grown(entity: StoredEntity, slot: number): Pick<StoredEntity, 'nextSlot'> {
  return entity.nextSlot === undefined ? {} : { nextSlot: slot + 1 };
}

export function alterField(schema: StoredSchema, name: string, field: string, rules: FieldRules): StoredSchema {
  const entity = entityOf(schema, name);
  return withField(schema, entity, { ...fieldOf(entity, field), rules });
}

/** The schema with a new index: complete at once where the entity has no rows, else one that is being built. */
export function addIndex(
  schema: StoredSchema,
  { entity: name, fields, unique }: AddIndex,
  building: boolean,
): StoredSchema {
  const no = giveTable(schema);
  const entity = entityOf(schema, name);
  const index: StoredIndex = { no, fields, unique, ...(building && { building }) };
  return withEntity({ ...schema, nextTable: no + 1 }, { ...entity, indexes: [...entity.indexes, index] });
}

export function findIndex(entity: StoredEntity, { fields, unique }: DesiredIndex): StoredIndex | undefined {
  return entity.indexes.find((index) => index.unique === unique && sameFields(index.fields, fields));
}

/** The schema with the index complete: it may be read from now on. */
export function completeIndex(schema: StoredSchema, name: string, no: number): StoredSchema {
  const entity = entityOf(schema, name);
  const indexes = entity.indexes.map((index) => {
    if (index.no !== no) return index;
    const { building: _, ...complete } = index;
    return complete;
  });
  return withEntity(schema, { ...entity, indexes });
}

/** The schema without these indexes; their entries become garbage. */
export function dropIndexes(schema: StoredSchema, name: string, dropped: readonly StoredIndex[]): StoredSchema {
  const entity = entityOf(schema, name);
  const gone = new Set(dropped.map(({ no }) => no));
  const indexes = entity.indexes.filter(({ no }) => !gone.has(no));
  return withGarbage(
    withEntity(schema, { ...entity, indexes }),
    dropped.map(({ no }) => ({ table: no, files: [] })),
  );
}

/** The schema with a new text index: complete at once where the entity has no rows, else one that is being built beside the present one. */
export function addText(schema: StoredSchema, { entity: name, text }: AddText, building: boolean): StoredSchema {
  const no = giveTable(schema);
  const entity = entityOf(schema, name);
  const { fields, language, stopWords, analysis } = text;
  const added: StoredText = { no, fields, language, stopWords, analysis, ...(building && { building }) };
  return withEntity({ ...schema, nextTable: no + 1 }, { ...entity, texts: [...(entity.texts ?? []), added] });
}

export function findText(entity: StoredEntity, text: DesiredText): StoredText | undefined {
  return entity.texts?.find((one) => sameText(one, text));
}

/** The schema with the text index complete, and without the one in whose place it is. */
export function completeText(schema: StoredSchema, name: string, no: number): StoredSchema {
  const entity = entityOf(schema, name);
  const others = (entity.texts ?? []).filter((text) => text.no !== no);
  const texts = (entity.texts ?? []).map((text) => {
    if (text.no !== no) return text;
    const { building: _, ...complete } = text;
    return complete;
  });
  return dropTexts(withEntity(schema, { ...entity, texts }), name, others);
}

/** The schema without these text indexes; what they store becomes garbage. */
export function dropTexts(schema: StoredSchema, name: string, dropped: readonly StoredText[]): StoredSchema {
  if (dropped.length === 0) return schema;
  const gone = new Set(dropped.map(({ no }) => no));
  const { texts = [], ...others } = entityOf(schema, name);
  const left = texts.filter(({ no }) => !gone.has(no));
  return withGarbage(
    withEntity(schema, left.length === 0 ? others : { ...others, texts: left }),
    dropped.map(({ no }) => ({ table: no, files: [] })),
  );
}

/** The text indexes over a field. */
function textsOver({ texts = [] }: StoredEntity, field: string): StoredText[] {
  return texts.filter(({ fields }) => fields.includes(field));
}

function withGarbage(schema: StoredSchema, more: readonly Garbage[]): StoredSchema {
  const garbage = [...(schema.garbage ?? []), ...more];
  return garbage.length === 0 ? schema : { ...schema, garbage };
}

/** The schema without the garbage of a table that was cleared. */
export function withoutGarbage(schema: StoredSchema, table: number): StoredSchema {
  const { garbage = [], ...others } = schema;
  const left = garbage.filter((piece) => piece.table !== table);
  return left.length === 0 ? others : { ...others, garbage: left };
}

/** Gives a field a second slot, which is filled while the first is read. */
export function beginRetype(schema: StoredSchema, { entity: name, field, to, rules }: RetypeField): StoredSchema {
  const entity = entityOf(schema, name);
  const slot = nextSlotOf(entity);
  const next = { slot, type: to, rules };
  return withField(schema, { ...entity, nextSlot: slot + 1 }, { ...fieldOf(entity, field), next });
}

/** Makes the second slot the field's own; indexes over its old values are dropped. */
export function endRetype(schema: StoredSchema, name: string, field: string): StoredSchema {
  const entity = entityOf(schema, name);
  const { next, name: own } = fieldOf(entity, field);
  if (next === undefined) throw new Error(`${name}.${field} is not being changed`);
  const dropped = entity.indexes.filter(({ fields }) => fields.includes(field));
  const changed = withField(schema, entity, { name: own, ...next, absent: null });
  return dropTexts(dropIndexes(changed, name, dropped), name, textsOver(entity, field));
}

/** Leaves the field as it was; its second slot is never used again. */
export function cancelRetype(schema: StoredSchema, name: string, field: string): StoredSchema {
  const entity = entityOf(schema, name);
  const { next: _next, ...stays } = fieldOf(entity, field);
  return withField(schema, entity, stays);
}

export function dropField(schema: StoredSchema, name: string, field: string): StoredSchema {
  const entity = entityOf(schema, name);
  const dropped = entity.indexes.filter(({ fields }) => fields.includes(field));
  const fields = entity.fields.filter((other) => other.name !== field);
  const left = withEntity(schema, { ...entity, fields, nextSlot: nextSlotOf(entity) });
  return dropTexts(dropIndexes(left, name, dropped), name, textsOver(entity, field));
}

export function dropEntity(schema: StoredSchema, name: string): StoredSchema {
  const entity = entityOf(schema, name);
  const files = entity.fields.filter(({ type }) => type === 'file').map(({ slot }) => positionOf(slot));
  const entities = schema.entities.filter((other) => other.name !== name);
  const indexes = [...entity.indexes, ...(entity.texts ?? [])].map(({ no }) => ({ table: no, files: [] }));
  return withGarbage({ ...schema, entities }, [{ table: entity.table, files }, ...indexes]);
}

/** The schema without the remains of an apply that never ended: indexes, of texts too, that are half built, second slots that are half filled. */
export function settled(schema: StoredSchema): StoredSchema {
  let now = schema;
  for (const { name, indexes, texts = [], fields } of schema.entities) {
    const building = indexes.filter((index) => index.building === true);
    if (building.length > 0) now = dropIndexes(now, name, building);
    now = dropTexts(
      now,
      name,
      texts.filter(({ building }) => building === true),
    );
    for (const field of fields) if (field.next !== undefined) now = cancelRetype(now, name, field.name);
  }
  return now;
}

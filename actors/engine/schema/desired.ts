/** What a definition asks of the schema: its key field, the stored type of each field, and the indexes that it needs. */
import type { EntityDefinition, FieldDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { FIELD_TYPES, typesWhere } from '#config/values/field-types.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import type { StoredText, StoredType } from './stored.ts';

/** The key field of every entity; a ULID unless declared otherwise. */
export const KEY_FIELD = 'id';
const KEY_TYPES = typesWhere(({ canBeKey }) => canBeKey);

export interface DesiredField {
  readonly name: string;
  readonly type: StoredType;
  readonly definition: FieldDefinition;
}

export interface DesiredIndex {
  readonly fields: readonly string[];
  readonly unique: boolean;
}

/**
 * The way in which words are made of texts (search/words.ts). A change there that gives other words raises it: plans then build every
 * text index anew.
 */
const TEXT_ANALYSIS = 1;

export type DesiredText = Omit<StoredText, 'no' | 'building'>;

export interface DesiredEntity {
  readonly name: string;
  readonly fields: readonly DesiredField[];
  readonly indexes: readonly DesiredIndex[];
  /** Null where the entity declares no search. */
  readonly text: DesiredText | null;
}

/** Fields (the key first) and indexes of an entity. Throws DefinitionError for an unknown reference target and for an index over a field without an order. */
export function desiredEntity(product: ProductDefinition, entity: EntityDefinition): DesiredEntity {
  const fields: DesiredField[] = [keyField(entity)];
  for (const [name, definition] of Object.entries(entity.fields)) {
    if (name !== KEY_FIELD) fields.push({ name, type: storedType(product, entity, definition), definition });
  }
  return { name: entity.name, fields, indexes: desiredIndexes(entity, fields), text: desiredText(entity, fields) };
}

function keyField(entity: EntityDefinition): DesiredField {
  const definition = keyDefinition(entity);
  const type = definition.type as StoredType;
  if (!FIELD_TYPES[type].canBeKey)
    throw new DefinitionError(entity.where, `the key of ${entity.name} must be one of ${KEY_TYPES.join(', ')}`);
  return { name: KEY_FIELD, type, definition };
}

/** The definition of the key: as declared, else a ULID. */
export function keyDefinition({ fields }: EntityDefinition): FieldDefinition {
  return { ...(declared(fields, KEY_FIELD) ?? { type: 'ulid' }), required: true, nullable: false };
}

function storedType(product: ProductDefinition, entity: EntityDefinition, field: FieldDefinition): StoredType {
  if (field.type !== 'ref') return field.type;
  const target = field.ref === undefined ? undefined : declared(product.entities, field.ref.entity);
  if (target === undefined) throw new DefinitionError(entity.where, `no entity ${field.ref?.entity} to refer to`);
  return keyField(target).type;
}

/** Indexes of the declared lists, of single fields marked `unique` or `index`, and of every reference, so that deleting its target stays cheap. */
function desiredIndexes(entity: EntityDefinition, fields: readonly DesiredField[]): DesiredIndex[] {
  const wanted: DesiredIndex[] = [];
  const want = (names: readonly string[], unique: boolean): void => {
    if (wanted.some((other) => other.unique === unique && sameFields(other.fields, names))) return;
    wanted.push({ fields: names, unique });
  };
  for (const list of entity.unique) want(list, true);
  for (const { name, definition } of fields) if (definition.unique === true && name !== KEY_FIELD) want([name], true);
  for (const list of entity.index) want(list, false);
  for (const { name, definition } of fields) if (definition.index === true && name !== KEY_FIELD) want([name], false);
  for (const { name, definition } of fields) {
    if (definition.type === 'ref' && !wanted.some((index) => index.fields[0] === name)) want([name], false);
  }
  for (const index of wanted) checkIndex(entity, fields, index);
  return wanted;
}

function checkIndex(entity: EntityDefinition, fields: readonly DesiredField[], index: DesiredIndex): void {
  for (const name of index.fields) {
    const field = fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new DefinitionError(entity.where, `index over ${name}, which is no field`);
    if (FIELD_TYPES[field.type].order === null)
      throw new DefinitionError(entity.where, `index over ${name}: a ${field.type} has no order`);
  }
}

function desiredText({ search, where }: EntityDefinition, fields: readonly DesiredField[]): DesiredText | null {
  if (search === undefined) return null;
  for (const name of search.fields) {
    const field = fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new DefinitionError(where, `search over ${name}, which is no field`);
    if (FIELD_TYPES[field.type].text !== 'free')
      throw new DefinitionError(where, `search over ${name}: a ${field.type} has no words`);
  }
  return { fields: search.fields, language: search.language, stopWords: search.stopWords, analysis: TEXT_ANALYSIS };
}

export function sameText(a: DesiredText, b: DesiredText): boolean {
  const isSame = a.language === b.language && a.analysis === b.analysis;
  return isSame && sameFields(a.fields, b.fields) && sameFields(a.stopWords, b.stopWords);
}

export function sameFields(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

/** A record's own entry: a definition may use a name that objects inherit, such as `constructor`. */
export function declared<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

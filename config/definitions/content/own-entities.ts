/** The content service's own entities, asset, folder and tag, with the additions of `content/extend/` (docs/contract/content.md §4). */
import { problemAt, type Problem } from '../../problem.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../../tree.ts';
import { readYamlFile } from '../../yaml-file.ts';
import { readEntities } from '../entity.ts';
import type { EntityDefinition, FieldDefinition } from '../product.ts';
import { definitionFiles } from '../source.ts';
import { strayRoles } from '../stray-roles.ts';
import { ASSET_ENTITY, FOLDER_ENTITY, TAG_ENTITY, UPLOADER, versionEntityOf } from './shapes.ts';
import type { ContentStoreDefinition } from './shapes.ts';

const NAME_CHARS = 255;
const text = (max: number): FieldDefinition => ({ type: 'string', max_length: max });
const maybe = (field: FieldDefinition): FieldDefinition => ({ ...field, nullable: true });

const FILE: Readonly<Record<string, FieldDefinition>> = {
  name: { ...text(NAME_CHARS), required: true, min_length: 1 },
  content_type: { ...text(127), required: true },
  size: { type: 'integer', required: true, min: 0 },
  sha256: { type: 'string', required: true, pattern: '^[0-9a-f]{64}$', index: true },
};

const id: FieldDefinition = { type: 'ulid' };

function entityOf(name: string, fields: EntityDefinition['fields'], more: Partial<EntityDefinition>): EntityDefinition {
  const where = `the content service's own ${name}`;
  return { name, fields: { id, ...fields }, traits: ['timestamps'], unique: [], index: [], access: {}, where, ...more };
}

/** A user's id; empty for assets of keys and services, and of before the store declared `person`. */
const uploadedBy: FieldDefinition = { type: 'string', nullable: true, max_length: 64, index: true };

function assetEntities(asset: string, folder: string, person: ContentStoreDefinition['person']): EntityDefinition[] {
  const fields: Readonly<Record<string, FieldDefinition>> = {
    store: { ...text(63), required: true },
    folder_id: maybe({ type: 'ref', ref: { entity: folder, on_delete: 'restrict' } }),
    ...FILE,
    width: maybe({ type: 'integer', min: 0 }),
    height: maybe({ type: 'integer', min: 0 }),
    title: maybe(text(1000)),
    alt: maybe(text(4000)),
    tags: { type: 'json', default: [] },
    locale: maybe(text(64)),
    ...(person !== undefined && { [UPLOADER]: uploadedBy }),
  };
  const of: FieldDefinition = { type: 'ref', required: true, ref: { entity: asset, on_delete: 'cascade' } };
  const kept = { asset_id: of, number: { type: 'integer', required: true } as const, ...FILE };
  const version = versionEntityOf(asset);
  return [
    entityOf(asset, fields, {
      traits: ['timestamps', 'versioned'],
      index: [
        ['store', 'id'],
        ['store', 'folder_id'],
      ],
      ...(person !== undefined && { person: { field: UPLOADER, holds: 'id', onErasure: person.on_erasure } }),
    }),
    entityOf(version, kept, { unique: [['asset_id', 'number']] }),
  ];
}

function folderEntity(name: string): EntityDefinition {
  const parent = maybe({ type: 'ref', ref: { entity: name, on_delete: 'restrict' }, index: true });
  const path: FieldDefinition = { ...text(1800), required: true, unique: true };
  return entityOf(name, { parent_id: parent, name: { ...text(NAME_CHARS), required: true, min_length: 1 }, path }, {});
}

const tagEntity = (): EntityDefinition =>
  entityOf(TAG_ENTITY, { name: { ...text(100), required: true, min_length: 1, unique: true } }, {});

/** The entities that some stores need. */
export function ownEntities(stores: readonly ContentStoreDefinition[]): EntityDefinition[] {
  if (stores.length === 0) return [];
  const own = new Map<string, EntityDefinition>();
  for (const { assetentityname: asset = ASSET_ENTITY, folderentityname: folder = FOLDER_ENTITY, person } of stores)
    for (const entity of [folderEntity(folder), ...assetEntities(asset, folder, person)]) own.set(entity.name, entity);
  own.set(TAG_ENTITY, tagEntity());
  return [...own.values()];
}

/** The entities with the additions of a folder's files: fields, indexes, rules. Existing parts stay as they are. */
export function extendEntities(dir: string, own: readonly EntityDefinition[]) {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const entities = new Map(own.map((entity) => [entity.name, entity]));
  for (const file of listed.files) {
    const { tree, problems: broken, broken: unread } = readYamlFile(file);
    problems.push(...broken);
    if (unread) continue;
    const read = readEntities(tree);
    problems.push(...read.problems);
    for (const extension of read.entities) {
      const base = entities.get(extension.name);
      if (base === undefined) problems.push(unknown(extension, tree, [...entities.keys()]));
      else {
        problems.push(...strayRoles(extension, tree));
        problems.push(...clashes(base, extension, tree), ...strayPerson(extension, tree));
        entities.set(base.name, extended(base, extension));
      }
    }
  }
  return { entities: [...entities.values()], problems };
}

function extended(base: EntityDefinition, extension: EntityDefinition): EntityDefinition {
  const { id: _, ...fields } = extension.fields;
  return {
    ...base,
    fields: { ...base.fields, ...fields },
    unique: [...base.unique, ...extension.unique],
    index: [...base.index, ...extension.index],
    access: { ...base.access, ...extension.access },
    ...(extension.row_rule !== undefined && { row_rule: extension.row_rule }),
    where: extension.where,
  };
}

function unknown({ name }: EntityDefinition, tree: Tree, known: readonly string[]): Problem {
  const path = ['entities', name];
  const message =
    known.length === 0 ? 'there is no content store to extend' : `content has no entity "${name}" to extend`;
  return problemAt(
    tree.placeOf(path, 'key'),
    path,
    message,
    known.length === 0 ? 'remove it' : suggestion(name, known),
  );
}

/** Assets are of their uploaders, and no other entity of content has a person. */
function strayPerson({ name, person }: EntityDefinition, tree: Tree): Problem[] {
  if (person === undefined) return [];
  const path = ['entities', name, 'person'];
  const message = 'an addition cannot say whose the rows are';
  return [problemAt(tree.placeOf(path, 'key'), path, message, 'write `person: { on_erasure }` in stores.yaml')];
}

function clashes(base: EntityDefinition, { name, fields }: EntityDefinition, tree: Tree): Problem[] {
  return Object.keys(fields).flatMap((field) => {
    const path = ['entities', name, 'fields', field];
    if (!Object.hasOwn(base.fields, field) || !tree.has(path)) return [];
    return [
      problemAt(tree.placeOf(path, 'key'), path, `${name} has the field "${field}" already`, 'choose another name'),
    ];
  });
}

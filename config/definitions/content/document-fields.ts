/** The fields that content adds to the entity of a content type. */
import { problemAt, type Problem } from '../../problem.ts';
import type { EntityDefinition, FieldDefinition, Trait } from '../product.ts';
import type { ContentAppDefinition } from './shapes.ts';
import type { FoundType } from './types.ts';

export const DOCUMENT_STATES = ['draft', 'published', 'archived'] as const;

const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  status: { type: 'enum', enum: DOCUMENT_STATES, required: true, default: 'draft', index: true },
  published_at: { type: 'datetime', nullable: true },
};

/** Fields for types of apps with several languages: there a row is the part of a document in one locale. */
const LOCALE_FIELDS: Readonly<Record<string, FieldDefinition>> = {
  document_id: { type: 'ulid', required: true },
  locale: { type: 'string', required: true, max_length: 64 },
};

/** What every document has besides the fields of its type. */
export const DOCUMENT_FIELDS: ReadonlySet<string> = new Set([...Object.keys(FIELDS), ...Object.keys(LOCALE_FIELDS)]);

/** The entity that the tenant gets. */
export function documentEntity({ type, entity }: FoundType, apps: readonly ContentAppDefinition[]): EntityDefinition {
  const users = apps.filter(({ types }) => types.some(({ name }) => name === type.name));
  const speaks = users.some(({ locale }) => locale !== null);
  const traits = new Set<Trait>([...entity.traits, 'timestamps']);
  if (users.some(({ versioned }) => versioned)) traits.add('versioned');
  const own = new Set(['id', ...type.localized]);
  const shared = Object.entries(entity.fields).filter(
    ([name, field]) => !own.has(name) && field.materialize === undefined,
  );
  return {
    ...entity,
    ...(speaks && { shares: { by: 'document_id', fields: shared.map(([name]) => name) } }),
    fields: { ...entity.fields, ...FIELDS, ...(speaks && LOCALE_FIELDS) },
    traits: [...traits],
    unique: speaks ? [...entity.unique, ['document_id', 'locale']] : entity.unique,
    index: speaks ? [...entity.index, ['locale', 'status']] : entity.index,
  };
}

/** Fields that a content type may not declare itself. */
export function takenFields({ entity, tree }: FoundType): Problem[] {
  return [...DOCUMENT_FIELDS].flatMap((field) => {
    if (!Object.hasOwn(entity.fields, field)) return [];
    const path = ['entities', entity.name, 'fields', field];
    return [problemAt(tree.placeOf(path, 'key'), path, `every document has the field "${field}"`, 'remove it')];
  });
}

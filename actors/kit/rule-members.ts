/** Members of rows as rules see them, and the rows that references lead to. */
import type { EntityDefinition, Trait } from '#config/definitions/product.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

/** Whether a member may have members of its own. */
export type Member = 'plain' | 'open';

/** Columns that a trait keeps. */
export const KEPT: Readonly<Record<Trait, readonly string[]>> = {
  timestamps: ['created_at', 'updated_at'],
  soft_delete: ['deleted_at', 'deleted_by'],
  versioned: ['version'],
};

/** Members of an entity's row, as rules see it. */
export function rowMembers({ fields, traits }: EntityDefinition): Map<string, Member> {
  const members = new Map<string, Member>([['id', 'plain']]);
  for (const [name, { type }] of Object.entries(fields))
    members.set(name, FIELD_TYPES[type].hasMembers ? 'open' : 'plain');
  for (const trait of traits) for (const name of KEPT[trait]) members.set(name, 'plain');
  return members;
}

/** What rules may read from the rows of an entity. */
export interface Relations {
  readonly members: ReadonlyMap<string, Member>;
  /** The reference with the name of a relation: that of its field without `_id`. Undefined where there is none. */
  relation(name: string): Relation | undefined;
}

export interface Relation {
  /** The field that holds the key of the other row. */
  readonly field: string;
  readonly to: Relations;
}

/** The members and relations of an entity; entities that refer to each other are looked up when a path goes on to them. */
export function relationsOf(entities: Readonly<Record<string, EntityDefinition>>, entity: EntityDefinition): Relations {
  return {
    members: rowMembers(entity),
    relation(name) {
      const field = [`${name}_id`, name].find((own) => own.replace(/_id$/, '') === name && isReference(entity, own));
      const target = field === undefined ? undefined : entity.fields[field]!.ref?.entity;
      if (field === undefined || target === undefined || !Object.hasOwn(entities, target)) return undefined;
      return { field, to: relationsOf(entities, entities[target]!) };
    },
  };
}

const isReference = ({ fields }: EntityDefinition, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name]!.type === 'ref';

/** Content of a tenant: docs/contract/content.md §6 and §6.1. */
import type { Document } from '@skep/client';
import type { EntityDoc, Field } from '../data/shapes.ts';

export interface Locales {
  readonly default: string;
  readonly supported: readonly string[];
}

export interface App {
  readonly name: string;
  readonly active: boolean;
  /** Whether a rule of it does not compile: it is not served. */
  readonly faulty: boolean;
  readonly locale: Locales | null;
  readonly versioned: boolean;
  /** Whether it has a secret, with which preview tokens are made. */
  readonly preview: boolean;
  readonly types: readonly { readonly name: string; readonly entity: string; readonly fields: number }[];
}

export interface TypeField extends Field {
  readonly localized: boolean;
}

export interface Type {
  readonly app: string;
  readonly name: string;
  readonly entity: string;
  readonly fields: readonly TypeField[];
}

/** A document's id, whatever its app keeps it under. */
export const idOf = ({ document_id: id, id: row }: Document): string => (typeof id === 'string' ? id : row);

/** A type as pages of rows know an entity. */
export const entityOf = ({ entity, fields }: Pick<Type, 'entity' | 'fields'>): EntityDoc => ({
  name: entity,
  primary_key: 'id',
  traits: [],
  operations: ['read', 'create', 'update', 'delete'],
  fields,
  relations: [],
});

/** Content of a tenant: docs/contract/content.md §6, §6.1 and §8.4. */
import type { Document } from '@skep/client';
import type { EntityDoc, Field } from '../data/shapes.ts';
import type { DeliveryOutcome, State } from './states.ts';

export type ContentEvent = 'AfterContentCreateSuccess' | 'AfterContentUpdateSuccess' | 'AfterContentDeleteSuccess';

export interface Locales {
  readonly default: string;
  readonly supported: readonly string[];
}

export interface Webhook {
  readonly name: string;
  readonly host: string;
  /** Empty means all. */
  readonly events: readonly ContentEvent[];
  readonly active: boolean;
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
  readonly webhooks: readonly Webhook[];
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

/** A state that a document has had in one language. */
export interface Version {
  readonly number: number;
  readonly status: State;
  readonly updated_at: string;
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

export interface Delivery {
  readonly id: string;
  readonly app: string;
  readonly webhook: string;
  readonly event: ContentEvent;
  /** The full name of the type. */
  readonly type: string;
  /** The first of their ids. */
  readonly documents: readonly string[];
  readonly documents_count: number;
  readonly at: string;
  readonly outcome: DeliveryOutcome;
  /** Null while it waits. */
  readonly attempts: number | null;
  /** Of the receiver's last answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ended_at: string | null;
}

export interface DeliveryPage {
  readonly count: { readonly waiting: number; readonly logged: number; readonly dropped: number };
  readonly deliveries: readonly Delivery[];
  readonly page: { readonly end_cursor: string | null };
}

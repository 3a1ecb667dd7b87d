/** A product checkout as the services see it, read and checked by `load-product.ts`. Shapes: decisions.md "Data". */

import type { BffEndpointDefinition } from './bff/shapes.ts';
import type { ContentDefinition, ContentStoreDefinition } from './content/shapes.ts';
import type { MaskName } from './mask.ts';

export type FieldType =
  | 'string'
  | 'text'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'ulid'
  | 'uuid'
  | 'json'
  | 'enum'
  | 'ref'
  | 'file'
  | 'bytes';

export type ReferenceAction = 'cascade' | 'setnull' | 'restrict' | 'noaction';

export interface FieldDefinition {
  readonly type: FieldType;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly unique?: boolean;
  readonly index?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly compliance?: string;
  readonly mask?: MaskName;
  readonly enum?: readonly string[];
  /** Of a content type: each locale has its own. */
  readonly localized?: boolean;
  readonly ref?: {
    readonly entity: string;
    readonly on_delete?: ReferenceAction;
    readonly on_update?: ReferenceAction;
  };
}

export interface RuleDefinition {
  readonly language: 'cel';
  readonly rule: string;
  /** File, line and column of the rule, for the room that compiles it. */
  readonly where?: string;
}

export type AccessOperation = 'create' | 'read' | 'update' | 'delete' | 'purge' | 'restore' | 'unmask';
export type Trait = 'soft_delete' | 'versioned' | 'timestamps';

export interface EntityDefinition {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  readonly traits: readonly Trait[];
  readonly unique: readonly (readonly string[])[];
  readonly index: readonly (readonly string[])[];
  readonly access: Readonly<Partial<Record<AccessOperation, RuleDefinition>>>;
  readonly row_rule?: RuleDefinition;
  /** File, line and column of the definition, for messages. */
  readonly where: string;
}

/** An OpenID provider that users may sign in with. */
export interface OAuthProvider {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scopes: readonly string[];
  readonly redirect_uri: string;
  /** Given to a user on the first sign-in. */
  readonly roles: readonly string[];
  /** `email_verified`: a user who has the address that the provider verified is the same user. */
  readonly link: 'none' | 'email_verified';
}

/** The headers that a script may ask for: those that say who the caller is never reach it. */
export const ENDPOINT_HEADERS = [
  'accept',
  'accept-language',
  'content-type',
  'origin',
  'referer',
  'user-agent',
  'x-request-id',
] as const;

export type EndpointAuth = 'public' | 'user' | 'service' | 'admin' | 'superadmin';

/** A scripted endpoint. */
export interface EndpointDefinition {
  /** Below `/data/x/`. */
  readonly path: string;
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly kind: 'query' | 'mutate';
  readonly auth: EndpointAuth;
  readonly rate: { readonly burst: number; readonly perSecond: number } | null;
  /** How long an answer is given again; 0: never. */
  readonly cacheMs: number;
  /** Request headers that the script sees, in lower case. */
  readonly headers: readonly string[];
  readonly source: string;
  readonly where: string;
}

/** What may lead out of a state: whoever writes `target` fires it. */
export interface StateEventDefinition {
  readonly target: string;
  readonly guard?: RuleDefinition;
}

export interface StateDefinition {
  readonly type?: 'final';
  readonly events: Readonly<Record<string, StateEventDefinition>>;
}

/** A machine that governs one field of an entity. */
export interface StateflowDefinition {
  readonly name: string;
  readonly entity: string;
  readonly field: string;
  readonly initial: string;
  readonly states: Readonly<Record<string, StateDefinition>>;
  readonly where: string;
}

export interface ProductDefinition {
  readonly name: string;
  readonly contentStores?: readonly ContentStoreDefinition[];
  readonly content?: ContentDefinition;
  readonly stateflows?: readonly StateflowDefinition[];
  readonly endpoints?: readonly EndpointDefinition[];
  readonly bff?: readonly BffEndpointDefinition[];
  readonly entities: Readonly<Record<string, EntityDefinition>>;
  /** `product.yaml`: settings of tokens and sessions, sign-in providers, outbound hosts, the static key. */
  readonly settings: {
    readonly token?: { readonly claims?: Readonly<Record<string, unknown>>; readonly expiry?: string };
    readonly sessions?: {
      readonly mode?: 'managed' | 'stateless';
      readonly max?: number;
      readonly on_limit?: 'reject' | 'evict_oldest';
    };
    readonly oauth?: { readonly providers: Readonly<Record<string, OAuthProvider>> };
    readonly outbound?: { readonly hosts?: readonly string[] };
    readonly static_api_key?: { readonly secret: string; readonly roles: readonly string[] };
  };
}

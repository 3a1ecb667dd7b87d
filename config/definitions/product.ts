/** A product checkout for the services, read and checked by `load-product.ts`. Shapes: docs/contract/data-definitions.md §3. */

import type { BffEndpointDefinition } from './bff/shapes.ts';
import type { ContentDefinition, ContentStoreDefinition } from './content/shapes.ts';
import type { Place } from '../problem.ts';
import type { FieldType, ParameterType } from '#config/values/field-types.ts';
import type { CaptchaDefinition } from './captcha-section.ts';
import type { ChangeGroups } from './change-groups.ts';
import type { ChannelDefinitions } from './channels-section.ts';
import type { MailKind } from './mail-kinds.ts';
import type { MaskName } from './mask.ts';
import type { DefaultSource } from './default-from.ts';
import type { RoleCatalogue } from './roles-section.ts';
import type { TriggerDefinition } from './trigger-shapes.ts';

export type ReferenceAction = 'cascade' | 'setnull' | 'restrict' | 'noaction';

/** A field that the service computes from the rows of another entity that refer to its row. */
export interface MaterializeDefinition {
  readonly entity: string;
  /** The field of that entity with the reference. */
  readonly ref: string;
  readonly value: 'count' | 'sum' | 'min' | 'max' | 'cel';
  /** The field that is summed or compared; the expression of `cel`; null for `count`. */
  readonly of: string | null;
}

/** Which roles read a field and write it. */
interface FieldRoles {
  /** Absent: everyone who reads the row. Empty: superadmins and the node alone. */
  readonly read?: readonly string[] | undefined;
  /** Absent: everyone who writes the row. */
  readonly write?: readonly string[] | undefined;
}

export interface FieldDefinition {
  readonly type: FieldType;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: unknown;
  /** The default of each new row comes from its create. */
  readonly default_from?: DefaultSource;
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
  /** Which roles read the field and write it; everyone where it says nothing. */
  readonly roles?: FieldRoles;
  readonly enum?: readonly string[];
  /** In a content type: each locale has its own value. */
  readonly localized?: boolean;
  readonly ref?: {
    readonly entity: string;
    readonly on_delete?: ReferenceAction;
    readonly on_update?: ReferenceAction;
  };
  readonly materialize?: MaterializeDefinition;
}

export interface RuleDefinition {
  readonly language: 'cel';
  readonly rule: string;
  /** File, line and column of the rule, for the room that compiles it. */
  readonly where?: string;
}

/** A field that is computed where it is shown: an expression over the stored fields of its row. */
export interface ComputedDefinition extends RuleDefinition {
  readonly type: FieldType;
}

/** Links of rows with any number of rows of another entity, which are linked with any number of rows in turn (link.ts). */
export interface LinkDefinition {
  readonly entity: string;
  /** Which roles read the links and change them; everyone where it says nothing. */
  readonly roles?: FieldRoles;
  readonly where: string;
}

export type AccessOperation = 'create' | 'read' | 'update' | 'delete' | 'purge' | 'restore' | 'unmask';
/** Role → what it may do. */
export type Grants = Readonly<Record<string, readonly AccessOperation[]>>;

export type Trait = 'soft_delete' | 'versioned' | 'timestamps';

/** How long rows stay, and where they go afterwards. */
export interface RetentionDefinition {
  readonly activeMs: number;
  /** How long they stay in the archive, or, without one, after they were anonymized; null where nothing is said. */
  readonly archiveMs: number | null;
  readonly archiveTo: string | null;
  readonly ageField: string;
  /** As written; null when absent. */
  readonly handoff: boolean | null;
}

export interface PersonDefinition {
  /** The field that names the person. */
  readonly field: string;
  /** What it holds: the user's id, or the e-mail address. */
  readonly holds: 'id' | 'email';
  readonly onErasure: 'delete' | 'anonymize' | 'keep';
}

/** The words of which fields are found, and how they are made comparable. */
export interface SearchDefinition {
  readonly fields: readonly string[];
  /** Of the stems (search.ts); `none` for words as they are. */
  readonly language: string;
  readonly stopWords: readonly string[];
}

export interface ArchiveDefinition {
  readonly name: string;
  /** `native`: companion entities in the same store. Any other: elsewhere, by handoff. */
  readonly type: string;
  readonly suffix: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface EntityDefinition {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  readonly traits: readonly Trait[];
  readonly unique: readonly (readonly string[])[];
  readonly index: readonly (readonly string[])[];
  readonly access: Readonly<Partial<Record<AccessOperation, RuleDefinition>>>;
  readonly row_rule?: RuleDefinition;
  /** In place of the product's grants. */
  readonly grants?: Grants;
  readonly retention?: RetentionDefinition;
  /** Whose rows they are, and what becomes of them when that person is erased. */
  readonly person?: PersonDefinition;
  /** The text index; an entity without it is not searched by words. */
  readonly search?: SearchDefinition;
  /** Its changes are kept for subscribers; without it no write does anything for them. */
  readonly changes?: true;
  /** Rows with the same value of `by` are parts of one whole (a document in its locales): these fields are equal in all of them. */
  readonly shares?: { readonly by: string; readonly fields: readonly string[] };
  /** Fields of no stored value, by name; none is in `fields`. */
  readonly computed?: Readonly<Record<string, ComputedDefinition>>;
  /** What its rows are linked with, by name; none is in `fields`. */
  readonly links?: Readonly<Record<string, LinkDefinition>>;
  /** The entity whose archive this is: the loader makes it, no file declares it. */
  readonly archiveOf?: string;
  /** The link whose pairs these rows are: the loader makes the entity, no file declares it, and no caller can name it. */
  readonly pairsOf?: { readonly entity: string; readonly link: string };
  /** Of a view (view.ts): the select that gives its rows, and the place of its first character. It has no rows of its own. */
  readonly view?: { readonly text: string; readonly file: string; readonly line: number; readonly column: number };
  /** File, line and column of the definition, for messages. */
  readonly where: string;
}

/** An OpenID provider that users may sign in with. */
/** How people get a user of the product (`accounts`). */
export interface AccountsDefinition {
  readonly sign_up: 'closed' | 'invitation' | 'open';
  /** Domains of the addresses that may sign up; any where absent. */
  readonly domains?: readonly string[];
  /** Roles of a person who signs up. */
  readonly roles: readonly string[];
  readonly password?: { readonly min_length: number };
  /** What a stranger shows before a sign-up; absent: nothing. */
  readonly captcha?: CaptchaDefinition | undefined;
  readonly guests?: GuestsDefinition | undefined;
}

/** Users without address and password (`accounts.guests`). */
export interface GuestsDefinition {
  readonly roles: readonly string[];
  /** How long a guest is kept without a use, in Go notation. */
  readonly keep: string;
  /** How many a tenant may have. */
  readonly max: number;
}

export interface OAuthProvider {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scopes: readonly string[];
  readonly redirect_uri: string;
  /** Further addresses to which a sign-in may ask to come back, each compared as text. */
  readonly redirect_uris?: readonly string[];
  /** Roles that a user gets on the first sign-in. */
  readonly roles: readonly string[];
  /** `email_verified`: an address that the provider has verified, and can speak for, identifies an existing user. */
  readonly link: 'none' | 'email_verified';
  /** Its dialect, where it is one that is known by name. */
  readonly preset?: PresetName;
  /** Hosts that the preset reaches besides the issuer's. */
  readonly hosts?: readonly string[];
  /** Microsoft: the id of a directory, or `common`, `organizations`, `consumers`. */
  readonly tenant?: string;
  /** Of plain OAuth 2, which has no discovery. */
  readonly endpoints?: OAuthEndpoints;
  /** Apple: the key of the team, which signs what stands for the secret. */
  readonly signer?: { readonly team_id: string; readonly key_id: string; readonly private_key: string };
}

/** A provider that is known by name (`oauth-presets.ts`). */
export type PresetName = 'google' | 'microsoft' | 'apple' | 'github' | 'gitlab' | 'discord';

export interface OAuthEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly user: string;
  /** Where the user's addresses are listed, when the user's own answer does not say which is verified. */
  readonly emails?: string | undefined;
}

/** Headers that a script may read; headers that identify the caller never reach it. */
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
  /** How long an answer is reused; 0: never. */
  readonly cacheMs: number;
  /** Request headers that the script sees, in lower case. */
  readonly headers: readonly string[];
  /** The answer for a refusal that the script does not catch: 500 `v2.script_error` that names it, or the refusal itself. */
  readonly refusals: 'wrap' | 'pass';
  /** The role with whose rights its script acts; absent: with those of the caller. */
  readonly runAs?: string;
  readonly source: string;
  /** The place of the script's first character. */
  readonly sourceAt?: Place;
  readonly where: string;
}

export interface ActionParameter {
  readonly type: ParameterType;
  readonly list: boolean;
  readonly required: boolean;
  /** Undefined: no default, and an absent parameter is bound as null. */
  readonly default: unknown;
}

export type ActionSection = 'read' | 'create' | 'update' | 'delete';

export interface ActionSectionDefinition {
  readonly params: Readonly<Record<string, ActionParameter>>;
  /** The statement, and the place of its first character. */
  readonly sql: { readonly text: string; readonly file: string; readonly line: number; readonly column: number };
  /** Instead of the action's own. */
  readonly access?: RuleDefinition;
  readonly where: string;
}

/** A declared action: named statements with parameters, one for each section. */
export interface ActionDefinition {
  readonly name: string;
  readonly description: string;
  /** Null: the entities that its statements name. */
  readonly entities: readonly string[] | null;
  readonly access?: RuleDefinition;
  readonly sections: Readonly<Partial<Record<ActionSection, ActionSectionDefinition>>>;
  readonly where: string;
}

/** A transition out of a state: a write of `target` fires it. */
export interface StateEventDefinition {
  readonly target: string;
  readonly guard?: RuleDefinition;
  /** A script that runs within the write that fires it. */
  readonly actions?: string;
}

export interface StateDefinition {
  readonly type?: 'final';
  readonly events: Readonly<Record<string, StateEventDefinition>>;
  /** Scripts that run when a row enters the state, and when it leaves it. */
  readonly entry?: string;
  readonly exit?: string;
}

/** A state machine that governs one field of an entity. */
export interface StateflowDefinition {
  readonly name: string;
  readonly entity: string;
  readonly field: string;
  readonly initial: string;
  /** The role with whose rights its scripts act; absent: with those of the caller. */
  readonly run_as?: string | undefined;
  readonly states: Readonly<Record<string, StateDefinition>>;
  /** The place of each script's first character, by its path: `states.<state>.entry`, `….exit`, `….events.<event>.actions`. */
  readonly scriptsAt?: Readonly<Record<string, Place>>;
  readonly where: string;
}

/** Rows that a tenant gets, once per content. */
export interface SeedDefinition {
  readonly name: string;
  readonly entity: string;
  readonly strategy: 'insert' | 'upsert' | 'replace';
  /** The env segments of the positions it applies to; null for all. */
  readonly environments: readonly string[] | null;
  /** Its file, below the checkout. */
  readonly source: string;
  /** Rows with their lines; null where a file holds them. */
  readonly rows: readonly { readonly line: number; readonly input: Readonly<Record<string, unknown>> }[] | null;
  readonly file: { readonly source: string; readonly format: 'csv' | 'json' | 'jsonl'; readonly text: string } | null;
  /** A hash over everything that decides what it writes. */
  readonly checksum: string;
  readonly where: string;
}

/** `passkeys` of `product.yaml`. */
export interface PasskeySettings {
  /** The domain whose sites may use the passkeys. */
  readonly rp_id: string;
  /** The name that the browser shows. */
  readonly rp_name: string;
  /** Exact origins of the product's pages. */
  readonly origins: readonly string[];
  readonly user_verification: 'preferred' | 'required';
}

/** A mail of identity in a product's own words; texts are Mustache templates. */
export interface MailTemplate {
  readonly kind: MailKind;
  /** A BCP 47 tag in its canonical spelling. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  /** What the button of the HTML part says where `html` is null; the subject when null. */
  readonly button: string | null;
  /** Null: made of the text. */
  readonly html: string | null;
}

export interface ProductDefinition {
  readonly name: string;
  readonly mails?: readonly MailTemplate[];
  readonly seeds?: readonly SeedDefinition[];
  readonly archives?: readonly ArchiveDefinition[];
  readonly contentStores?: readonly ContentStoreDefinition[];
  readonly content?: ContentDefinition;
  readonly stateflows?: readonly StateflowDefinition[];
  readonly endpoints?: readonly EndpointDefinition[];
  readonly actions?: readonly ActionDefinition[];
  readonly bff?: readonly BffEndpointDefinition[];
  readonly triggers?: readonly TriggerDefinition[];
  /** Selects that are read as entities (view.ts), by name; none has the name of an entity. */
  readonly views?: readonly EntityDefinition[];
  readonly entities: Readonly<Record<string, EntityDefinition>>;
  /** `product.yaml`: settings of tokens and sessions, sign-in providers, roles, outbound hosts, the static key. */
  readonly settings: {
    readonly token?: { readonly claims?: Readonly<Record<string, unknown>>; readonly expiry?: string };
    readonly sessions?: {
      readonly mode?: 'managed' | 'stateless';
      readonly max?: number;
      readonly on_limit?: 'reject' | 'evict_oldest';
    };
    /** The roles that administrators may give; absent where any may be given. */
    readonly roles?: RoleCatalogue;
    /** What roles may do with entities that have no rule for it. */
    readonly grants?: Grants;
    readonly oauth?: { readonly providers: Readonly<Record<string, OAuthProvider>> };
    readonly passkeys?: PasskeySettings;
    readonly accounts?: AccountsDefinition;
    readonly outbound?: { readonly hosts?: readonly string[] };
    readonly mails?: { readonly language?: string };
    /** How long and how many changes are kept for subscribers, `keep` in Go notation; groups whose place is kept. */
    readonly changes?: { readonly keep?: string; readonly count?: number; readonly groups?: ChangeGroups };
    /** Channels, whose members tell each other what is kept nowhere. */
    readonly channels?: ChannelDefinitions;
    readonly static_api_key?: { readonly secret: string; readonly roles: readonly string[] };
  };
}

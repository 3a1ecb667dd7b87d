/** The content folder for the services. Shapes: docs/contract/content.md §2, §3. */
import type { Secret } from '../../reference-name.ts';

/** Operations on a store, each with a rule of its own. */
export const STORE_OPERATIONS = [
  'createasset',
  'readasset',
  'downloadasset',
  'updateasset',
  'deleteasset',
  'createfolder',
  'readfolder',
  'updatefolder',
  'deletefolder',
  'createtag',
  'readtag',
  'updatetag',
  'deletetag',
] as const;

/** Operations on the documents of an app. `preview`: see unpublished documents, and make tokens with which others see them. */
export const APP_OPERATIONS = ['read', 'create', 'update', 'delete', 'preview'] as const;

export const CONTENT_EVENTS = [
  'AfterContentCreateSuccess',
  'AfterContentUpdateSuccess',
  'AfterContentDeleteSuccess',
] as const;

export type StoreOperation = (typeof STORE_OPERATIONS)[number];
export type AppOperation = (typeof APP_OPERATIONS)[number];
export type ContentEvent = (typeof CONTENT_EVENTS)[number];

/** The rule of one operation, with the place of its text. */
export interface OperationRule {
  readonly language: 'cel';
  readonly rule: string;
  readonly where?: string;
}

export type Rules<O extends string> = Readonly<Partial<Record<O, OperationRule>>>;

export const IMAGE_FITS = ['cover', 'contain', 'inside'] as const;
export const IMAGE_FORMATS = ['webp', 'jpeg', 'png'] as const;

/** A size in which a store shows the images among its assets. */
export interface StoreImage {
  readonly width: number;
  readonly height: number;
  readonly fit: (typeof IMAGE_FITS)[number];
  readonly format: (typeof IMAGE_FORMATS)[number];
}

/** A content store as it is declared. */
export interface ContentStoreDefinition {
  readonly name: string;
  readonly type: string;
  readonly active: boolean;
  readonly folderentityname?: string | undefined;
  readonly assetentityname?: string | undefined;
  readonly cacheexpiry?: string | undefined;
  readonly version?: { readonly enabled: boolean } | undefined;
  readonly locale?: string | undefined;
  readonly index: 'database' | 'fs';
  /** Assets are of the person who uploads them; absent where the store does not say so. */
  readonly person?: { readonly on_erasure: 'delete' | 'anonymize' | 'keep' } | undefined;
  /** By name. */
  readonly images: Readonly<Record<string, StoreImage>>;
  readonly access: Rules<StoreOperation>;
}

export interface ContentTypeDefinition {
  /** The full name, such as `blog.post`: that of its file. */
  readonly name: string;
  /** The part before its last dot, such as `blog`; '' without a dot. */
  readonly space: string;
  readonly entity: string;
  /** Fields that each locale has for itself; the others are equal in all locales. */
  readonly localized: readonly string[];
}

export interface WebhookDefinition {
  readonly name: string;
  readonly url: string;
  /** Empty means all. */
  readonly events: readonly ContentEvent[];
  readonly secret: Secret;
  readonly timeoutMs: number;
  readonly active: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ContentAppDefinition {
  readonly name: string;
  readonly active: boolean;
  readonly contentstore: string | null;
  /** In the order of their declaration. */
  readonly types: readonly ContentTypeDefinition[];
  readonly locale: { readonly default: string; readonly supported: readonly string[] } | null;
  readonly versioned: boolean;
  /** Secrets that verify preview tokens; the first one signs. Empty: no token can be made. */
  readonly previewSecrets: readonly Secret[];
  readonly webhooks: readonly WebhookDefinition[];
  readonly access: Rules<AppOperation>;
}

export interface ContentDefinition {
  readonly types: readonly ContentTypeDefinition[];
  readonly apps: readonly ContentAppDefinition[];
}

/** Where content stores its assets, unless a store says otherwise. */
export const ASSET_ENTITY = 'asset';
export const FOLDER_ENTITY = 'folder';
export const TAG_ENTITY = 'tag';

/** The field of an asset with the id of the user who uploaded it, where a store declares `person`. */
export const UPLOADER = 'created_by';

/** The entity of an asset's earlier files. */
export const versionEntityOf = (assetEntity: string): string => `${assetEntity}_version`;

/** What the content service keeps for a tenant that is awake. */
import type {
  ContentAppDefinition,
  ContentStoreDefinition,
  ContentTypeDefinition,
} from '#config/definitions/content/shapes.ts';
import { ASSET_ENTITY, FOLDER_ENTITY, versionEntityOf } from '#config/definitions/content/shapes.ts';
import type { OperationRule } from '#config/definitions/content/shapes.ts';
import type { PersonDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import type { Call } from '#actors/host/call.ts';
import { tellFaults } from '#actors/host/part-faults.ts';
import { followProduct } from '#actors/host/served-product.ts';
import { Secrets } from '#actors/host/vault-secrets.ts';
import { faultOf, type PartFault } from '#actors/kit/part-fault.ts';
import { compileRule, DefinitionError, type Rule } from '#actors/kit/rule.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import { shown } from '#actors/kit/shown.ts';
import type { AssetIndex } from './asset/asset-index.ts';
import { AssetNotes } from './asset/asset-notes.ts';
import { DatabaseIndex } from './asset/database-index.ts';
import { FsIndex } from './asset/fs-index.ts';
import { noteCheck } from './asset/note-check.ts';
import { StoreUse } from './asset/store-use.ts';
import { TenantFiles } from './asset/tenant-files.ts';
import { FolderUse } from './folder/folder-use.ts';
import type { ImageMaker } from './image/image-maker.ts';
import { imagesOf, type ImageSize } from './image/image-size.ts';
import type { Judge } from './judge.ts';
import { end } from './refused.ts';
import { Uploads } from './upload/uploads.ts';
import type { BlobStore } from './store.ts';

export const SERVICE = 'content';

export interface ContentSettings {
  readonly defaultstoreaction: boolean;
  readonly defaultappaction: boolean;
  /** Where a store of a tenant keeps its bytes. */
  readonly blobs: (activation: Activation, store: string) => BlobStore;
  /** The largest file of an asset. */
  readonly assetBytesMax: number;
  /** How many bytes all files of a store may take together; null: no quota. */
  readonly storeBytesMax: number | null;
  /** Where images are made in other sizes. */
  readonly jobs: Jobs;
  /** A secret of the tenant in the vault; null for one that does not exist. Rejects when the vault does not answer. */
  readonly secret: (activation: Activation, name: string) => Promise<string | null>;
  readonly after: (ms: number, run: () => void) => void;
  /** Notifies main that a tenant has webhooks to deliver. */
  readonly webhooksPending: (tenantNo: number) => void;
}

export interface OpenStore {
  readonly name: string;
  readonly judge: Judge;
  /** What becomes of assets when the person who uploaded them is erased; null where the store does not record who that is. */
  readonly onErasure: PersonDefinition['onErasure'] | null;
  readonly asset: string;
  readonly version: string;
  readonly folder: string;
  readonly keepsVersions: boolean;
  /** How long caches may keep a download, in seconds; null: they revalidate it each time. */
  readonly maxAgeSeconds: number | null;
  readonly locale: string | null;
  readonly blobs: BlobStore;
  readonly assetBytesMax: number;
  /** How much of its quota its files use. */
  readonly use: StoreUse;
  /** Where it keeps the metadata of its assets: one of the two below. */
  readonly index: AssetIndex;
  readonly database: DatabaseIndex;
  /** Sizes in which it shows images, by name. */
  readonly images: ReadonlyMap<string, ImageSize>;
  /** Null when its bytes lie in a bucket, which keeps no files beside them. */
  readonly files: FsIndex | null;
  /** Uploads in several requests. */
  readonly uploads: Uploads;
  /** Why it is not served; null when it is served. */
  readonly fault: string | null;
  /** When the store was last swept. */
  sweptAtMs: number;
}

export interface OpenApp {
  readonly name: string;
  readonly judge: Judge;
  readonly definition: ContentAppDefinition;
}

export interface ContentPart {
  readonly stores: ReadonlyMap<string, OpenStore>;
  readonly apps: ReadonlyMap<string, OpenApp>;
  /** Stores that are not active: no caller reaches them, and what they hold of a person is found. */
  readonly closed: readonly OpenStore[];
  readonly secrets: Secrets;
  readonly folders: FolderUse;
  /** One for the whole host. */
  readonly maker: ImageMaker;
  /** How much its stores use of the tenant's quota. */
  readonly files: TenantFiles;
  /** Uploads in several requests, by store. */
  readonly uploads: Map<string, Uploads>;
  /** Metadata of assets in files, by store: in memory while the tenant is awake, also when its definitions change. */
  readonly notes: Map<string, AssetNotes>;
}

const CONTENT = new Part<ContentPart>(SERVICE);

type Lasting = Pick<ContentPart, 'secrets' | 'folders' | 'maker' | 'files' | 'notes' | 'uploads'>;

/** Opens the stores and apps of the product, and of newer definitions when they come. */
export function wake(activation: Activation, settings: ContentSettings, maker: ImageMaker): void {
  const lasting = {
    secrets: secretsOf(activation, settings),
    folders: new FolderUse(),
    maker,
    files: new TenantFiles(activation.use),
    notes: new Map(),
    uploads: new Map(),
  };
  CONTENT.set(activation, opened(activation, activation.product, lasting, settings));
  followProduct(activation, (product) => {
    const next = opened(activation, product, lasting, settings);
    return () => {
      for (const [name, store] of next.stores) store.sweptAtMs = partOf(activation).stores.get(name)?.sweptAtMs ?? 0;
      CONTENT.set(activation, next);
    };
  });
}

/** Inactive stores and apps stay closed. A store or an app whose rules do not compile is not served, and the log says why and where; the rest of the tenant is. */
function opened(
  activation: Activation,
  product: ProductDefinition,
  lasting: Lasting,
  settings: ContentSettings,
): ContentPart {
  const { contentStores = [], content } = product;
  const what =
    'a rule of a content store or app does not compile: that store or app is not served; mend it and run skep tenant provision';
  tellFaults(activation, SERVICE, ruleFaults(product), what);
  const open = (store: ContentStoreDefinition): OpenStore =>
    openStore(activation, { store, product, lasting, settings });
  const stores = contentStores.filter(({ active }) => active).map(open);
  const closed = contentStores.filter(({ active }) => !active).map(open);
  lasting.files.have([...stores, ...closed].map(({ use }) => use));
  const apps = (content?.apps ?? []).filter(({ active }) => active).map((app) => openApp(app, settings));
  return {
    stores: new Map(stores.map((store) => [store.name, store])),
    apps: new Map(apps.map((app) => [app.name, app])),
    closed,
    ...lasting,
  };
}

function secretsOf(activation: Activation, { secret, after, webhooksPending }: ContentSettings): Secrets {
  const { tenantNo, context } = activation;
  return new Secrets({
    service: SERVICE,
    clock: context.clock,
    log: context.log,
    read: (name) => secret(activation, name),
    after,
    askAgain: () => webhooksPending(tenantNo),
  });
}

interface Opening {
  readonly store: ContentStoreDefinition;
  readonly product: ProductDefinition;
  readonly lasting: Lasting;
  readonly settings: ContentSettings;
}

function uploadsOf({ context, position }: Activation, store: string, blobs: BlobStore): Uploads {
  return new Uploads(blobs.partials, (upload) =>
    context.log.error(
      { service: SERVICE, tenant: position.key, store, upload },
      'the note of an upload is damaged: its sender gets 404 and begins again; remove the two files of this name from the directory partial of the store',
    ),
  );
}

function openStore(activation: Activation, opening: Opening): OpenStore {
  const { store, settings } = opening;
  const asset = store.assetentityname ?? ASSET_ENTITY;
  const version = versionEntityOf(asset);
  const folder = store.folderentityname ?? FOLDER_ENTITY;
  const keepsVersions = store.version?.enabled ?? false;
  const blobs = settings.blobs(activation, store.name);
  const uploads = opening.lasting.uploads.get(store.name) ?? uploadsOf(activation, store.name, blobs);
  opening.lasting.uploads.set(store.name, uploads);
  const database = new DatabaseIndex({ store: store.name, asset, version, keepsVersions });
  const files = filesOf(activation, opening, blobs, { asset, folder, keepsVersions });
  const fault =
    store.index === 'fs' && files === null ? 'its bytes lie in a bucket, which keeps no index of files' : null;
  if (fault !== null)
    activation.context.log.error(
      { service: SERVICE, tenant: activation.position.key, store: store.name, fault },
      'a content store is not served',
    );
  return {
    name: store.name,
    judge: judgeOf(store.access, settings.defaultstoreaction),
    onErasure: store.person?.on_erasure ?? null,
    asset,
    version,
    folder,
    keepsVersions,
    maxAgeSeconds: store.cacheexpiry === undefined ? null : Math.floor(durationMs(store.cacheexpiry) / 1000),
    locale: store.locale ?? null,
    blobs,
    assetBytesMax: settings.assetBytesMax,
    use: new StoreUse({
      blobs,
      bytesMax: settings.storeBytesMax,
      reserved: () => uploads.reserved(),
      tenant: opening.lasting.files,
    }),
    uploads,
    index: store.index === 'fs' && files !== null ? files : database,
    database,
    images: imagesOf(store.images),
    files,
    fault,
    sweptAtMs: 0,
  };
}

function filesOf(
  { context, position }: Activation,
  { store: { name }, product, lasting: { notes, folders } }: Opening,
  blobs: BlobStore,
  place: { readonly asset: string; readonly folder: string; readonly keepsVersions: boolean },
): FsIndex | null {
  if (blobs.notes === null) return null;
  const kept = notes.get(name) ?? new AssetNotes(blobs.notes, context.log, { tenant: position.key, store: name });
  notes.set(name, kept);
  const { fields = {}, where = '' } = product.entities[place.asset] ?? {};
  return new FsIndex({ ...place, store: name, notes: kept, folders, fields: () => noteCheck(fields, where) });
}

function openApp(definition: ContentAppDefinition, settings: ContentSettings): OpenApp {
  const { name, access } = definition;
  return { name, definition, judge: judgeOf(access, settings.defaultappaction) };
}

type Access = Readonly<Record<string, OperationRule | undefined>>;

function judgeOf(access: Access, open: boolean): Judge {
  const compiled = rulesOf(access);
  const rules = compiled.flatMap(([name, rule]) => (rule instanceof DefinitionError ? [] : [[name, rule] as const]));
  return { rules: new Map(rules), open, faulty: rules.length < compiled.length };
}

function rulesOf(access: Access): [operation: string, Rule | DefinitionError][] {
  const rules = Object.entries(access).filter((entry): entry is [string, OperationRule] => entry[1] !== undefined);
  return rules.map(([name, { rule, where = name }]) => [name, compiledOrFault(rule, where)]);
}

function compiledOrFault(rule: string, where: string): Rule | DefinitionError {
  try {
    return compileRule(rule, where);
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
}

/** The faults of rules of stores and apps that do not compile, each with file, line and column. */
export function ruleFaults({ contentStores = [], content }: ProductDefinition): PartFault[] {
  return [
    ...contentStores.flatMap((store) => faultsIn(`content store ${store.name}`, store.access)),
    ...(content?.apps ?? []).flatMap((app) => faultsIn(`content app ${app.name}`, app.access)),
  ];
}

function faultsIn(part: string, access: Access): PartFault[] {
  return rulesOf(access).flatMap(([operation, rule]) =>
    rule instanceof DefinitionError ? [faultOf(`access.${operation} of the ${part}`, part, rule)] : [],
  );
}

export const partOf = (activation: Activation): ContentPart => CONTENT.of(activation);

/** The store of a call's path, or 404; 503 for one whose rules do not compile. */
export function storeOf(call: Call): OpenStore {
  const name = call.param('name');
  const store = partOf(call.activation).stores.get(name);
  if (store === undefined) return end('content.store_not_found', { message: `no content store ${shown(name)}` });
  if (store.fault !== null) return unserved('store', name, store.fault);
  return served(store, 'store');
}

/** The app of a call's path, or 404; 503 for one whose rules do not compile. */
export function appOf(call: Call): OpenApp {
  const name = call.param('app');
  const app = partOf(call.activation).apps.get(name);
  if (app === undefined) return end('content.app_not_found', { message: `no content app ${shown(name)}` });
  return served(app, 'app');
}

function served<T extends { readonly name: string; readonly judge: Judge }>(part: T, kind: string): T {
  if (!part.judge.faulty) return part;
  return unserved(kind, part.name, 'a rule of its declaration does not compile');
}

function unserved(kind: string, name: string, why: string): never {
  return end('content.unavailable', {
    message: `the content ${kind} ${name} is not served: ${why}`,
  });
}

/** A type of an app by its full name or its last segment, or 404. */
export function typeOf({ definition }: OpenApp, name: string): ContentTypeDefinition {
  const { types } = definition;
  const found = types.find((type) => type.name === name) ?? types.find((type) => type.entity === name);
  return found ?? end('content.type_not_found', { message: `the app has no content type ${shown(name)}` });
}

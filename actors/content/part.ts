/** What the content service keeps for a tenant that is awake. */
import type {
  ContentAppDefinition,
  ContentStoreDefinition,
  ContentTypeDefinition,
} from '#config/definitions/content/shapes.ts';
import { ASSET_ENTITY, FOLDER_ENTITY, versionEntityOf } from '#config/definitions/content/shapes.ts';
import type { OperationRule } from '#config/definitions/content/shapes.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { durationMs } from '#config/duration.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { followProduct } from '#actors/host/served-product.ts';
import { compileRule } from '#actors/kit/rule.ts';
import type { Rule } from '#actors/kit/rule.ts';
import { Secrets } from './app/secrets.ts';
import type { Judge } from './judge.ts';
import { end } from './refused.ts';
import { shown } from './shown.ts';
import type { BlobStore } from './store.ts';

export const SERVICE = 'content';

export interface ContentSettings {
  readonly defaultstoreaction: boolean;
  readonly defaultappaction: boolean;
  /** Where a store of a tenant keeps its bytes. */
  readonly blobs: (activation: Activation, store: string) => BlobStore;
  /** A secret of the tenant in the vault; null for one that is not there. Rejects where the vault cannot say. */
  readonly secret: (activation: Activation, name: string) => Promise<string | null>;
  readonly after: (ms: number, run: () => void) => void;
  /** Tells main that a tenant has webhooks to deliver. */
  readonly webhooksPending: (tenantNo: number) => void;
}

export interface OpenStore {
  readonly name: string;
  readonly judge: Judge;
  readonly asset: string;
  readonly version: string;
  readonly folder: string;
  readonly keepsVersions: boolean;
  /** How long a download may be kept by who has it; null: to be asked for again each time. */
  readonly maxAgeSeconds: number | null;
  readonly locale: string | null;
  readonly blobs: BlobStore;
  /** When files that nobody needs were last looked for. */
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
  readonly secrets: Secrets;
}

/** Opens what the product declares, and what those say that come later. Throws DefinitionError naming the place of a rule that does not compile. */
export function wake(activation: Activation, settings: ContentSettings): void {
  const secrets = secretsOf(activation, settings);
  activation.parts.set(SERVICE, opened(activation, activation.product, secrets, settings));
  followProduct(activation, (product) => {
    const next = opened(activation, product, secrets, settings);
    return () => {
      for (const [name, store] of next.stores) store.sweptAtMs = partOf(activation).stores.get(name)?.sweptAtMs ?? 0;
      activation.parts.set(SERVICE, next);
    };
  });
}

/** What is switched off stays closed. */
function opened(
  activation: Activation,
  product: ProductDefinition,
  secrets: Secrets,
  settings: ContentSettings,
): ContentPart {
  const { contentStores = [], content } = product;
  const stores = contentStores.filter(({ active }) => active).map((store) => openStore(activation, store, settings));
  const apps = (content?.apps ?? []).filter(({ active }) => active).map((app) => openApp(app, settings));
  return {
    stores: new Map(stores.map((store) => [store.name, store])),
    apps: new Map(apps.map((app) => [app.name, app])),
    secrets,
  };
}

function secretsOf(activation: Activation, { secret, after, webhooksPending }: ContentSettings): Secrets {
  const { tenantNo, context } = activation;
  return new Secrets({
    clock: context.clock,
    log: context.log,
    read: (name) => secret(activation, name),
    after,
    toldAgain: () => webhooksPending(tenantNo),
  });
}

function openStore(activation: Activation, store: ContentStoreDefinition, settings: ContentSettings): OpenStore {
  const asset = store.assetentityname ?? ASSET_ENTITY;
  return {
    name: store.name,
    judge: { rules: compiled(store.access), open: settings.defaultstoreaction },
    asset,
    version: versionEntityOf(asset),
    folder: store.folderentityname ?? FOLDER_ENTITY,
    keepsVersions: store.version?.enabled ?? false,
    maxAgeSeconds: store.cacheexpiry === undefined ? null : Math.floor(durationMs(store.cacheexpiry) / 1000),
    locale: store.locale ?? null,
    blobs: settings.blobs(activation, store.name),
    sweptAtMs: 0,
  };
}

function openApp(definition: ContentAppDefinition, settings: ContentSettings): OpenApp {
  const { name, access } = definition;
  return { name, definition, judge: { rules: compiled(access), open: settings.defaultappaction } };
}

function compiled(access: Readonly<Record<string, OperationRule | undefined>>): Map<string, Rule> {
  const rules = Object.entries(access).filter((entry): entry is [string, OperationRule] => entry[1] !== undefined);
  return new Map(rules.map(([name, { rule, where = name }]) => [name, compileRule(rule, where)]));
}

export const partOf = (activation: Activation): ContentPart => activation.parts.get(SERVICE) as ContentPart;

/** The store of a call's path, or 404. */
export function storeOf(call: Call): OpenStore {
  const name = call.param('name');
  const store = partOf(call.activation).stores.get(name);
  return store ?? end('content.store_not_found', { message: `no content store ${shown(name)}` });
}

/** The app of a call's path, or 404. */
export function appOf(call: Call): OpenApp {
  const name = call.param('app');
  const app = partOf(call.activation).apps.get(name);
  return app ?? end('content.app_not_found', { message: `no content app ${shown(name)}` });
}

/** A type of an app by its full name or the last segment of it, or 404. */
export function typeOf({ definition }: OpenApp, name: string): ContentTypeDefinition {
  const { types } = definition;
  const found = types.find((type) => type.name === name) ?? types.find((type) => type.entity === name);
  return found ?? end('content.type_not_found', { message: `the app has no content type ${shown(name)}` });
}

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
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { followProduct } from '#actors/host/served-product.ts';
import { compileRule, DefinitionError } from '#actors/kit/rule.ts';
import type { Rule } from '#actors/kit/rule.ts';
import { shown } from '#actors/kit/shown.ts';
import { Secrets } from './app/secrets.ts';
import type { Judge } from './judge.ts';
import { end } from './refused.ts';
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

/** Opens what the product declares, and what those say that come later. */
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

/**
 * What is switched off stays closed. A store or an app whose rules do not compile is not served, and the log says why with its place: the
 * rest of the tenant goes on.
 */
function opened(
  activation: Activation,
  product: ProductDefinition,
  secrets: Secrets,
  settings: ContentSettings,
): ContentPart {
  const { contentStores = [], content } = product;
  for (const fault of ruleFaults(product))
    activation.context.log.error(
      { service: SERVICE, tenant: activation.position.key, fault },
      'a rule does not compile: what it guards is not served',
    );
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
    judge: judgeOf(store.access, settings.defaultstoreaction),
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

/** What is wrong with the rules of stores and apps that do not compile, each with file, line and column. */
export function ruleFaults({ contentStores = [], content }: ProductDefinition): string[] {
  const rules = [...contentStores, ...(content?.apps ?? [])].flatMap(({ access }) => rulesOf(access));
  return rules.flatMap(([, rule]) => (rule instanceof DefinitionError ? [rule.message] : []));
}

export const partOf = (activation: Activation): ContentPart => activation.parts.get(SERVICE) as ContentPart;

/** The store of a call's path, or 404; 503 for one whose rules do not compile. */
export function storeOf(call: Call): OpenStore {
  const name = call.param('name');
  const store = partOf(call.activation).stores.get(name);
  if (store === undefined) return end('content.store_not_found', { message: `no content store ${shown(name)}` });
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
  return end('content.unavailable', {
    message: `the content ${kind} ${part.name} is not served: a rule of its declaration does not compile`,
    headers: { 'Retry-After': String(limits.host.retryAfterSeconds) },
  });
}

/** A type of an app by its full name or the last segment of it, or 404. */
export function typeOf({ definition }: OpenApp, name: string): ContentTypeDefinition {
  const { types } = definition;
  const found = types.find((type) => type.name === name) ?? types.find((type) => type.entity === name);
  return found ?? end('content.type_not_found', { message: `the app has no content type ${shown(name)}` });
}

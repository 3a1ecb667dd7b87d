/** GET /content/-/apps: which apps the product declares, also those that are not served; an editor is told of its own, without their webhooks. What it costs is bounded by the product's own files. */
import type {
  ContentAppDefinition,
  ContentTypeDefinition,
  WebhookDefinition,
} from '#config/definitions/content/shapes.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { knownParameters } from '../page.ts';
import { partOf } from '../part.ts';
import { declaredFields } from './declared-fields.ts';
import { edits, isAdministrator, refuseOthers } from './editor.ts';
import type { AdminRows } from './routes.ts';
import type { ShownApp } from './shapes.ts';

export function listApps(call: Call): Outcome<AdminRows['apps']> {
  knownParameters(call, []);
  const { product } = call.activation;
  const served = partOf(call.activation).apps;
  const all = product.content?.apps ?? [];
  if (isAdministrator(call))
    return reply(200, { apps: all.map((app) => shownApp(product, app, served.get(app.name)?.judge.faulty ?? false)) });
  const own = all.filter(({ name }) => edits(call, served.get(name)));
  if (own.length === 0) refuseOthers();
  return reply(200, { apps: own.map((app) => ({ ...shownApp(product, app, false), webhooks: [] })) });
}

/** Its rules and secrets are never shown. */
function shownApp(product: ProductDefinition, app: ContentAppDefinition, faulty: boolean): ShownApp {
  const { name, active, contentstore, locale, versioned, previewSecrets, types, webhooks } = app;
  return {
    name,
    active,
    faulty,
    contentstore,
    locale: locale === null ? null : { default: locale.default, supported: [...locale.supported] },
    versioned,
    preview: previewSecrets.length > 0,
    types: types.map((type) => shownType(product, type)),
    webhooks: webhooks.map(shownHook),
  };
}

function shownType(product: ProductDefinition, { name, entity }: ContentTypeDefinition) {
  return { name, entity, fields: declaredFields(product, entity).length };
}

function shownHook({ name, url, events, active }: WebhookDefinition) {
  return { name, host: new URL(url).host, events: [...events], active };
}

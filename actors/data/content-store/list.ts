/** GET /data/contentstore/list: what content stores the tenant's product declares (docs/contract/data.md §9.1). */
import type { ContentStoreDefinition } from '#config/definitions/content/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Routes } from '../routes.ts';
import type { ShownContentStore } from '../shapes.ts';

/** A map by name; their rules are never shown. */
export function contentStores(call: Call): Outcome<Routes['content_stores']> {
  const stores = call.activation.product.contentStores ?? [];
  return reply(200, Object.fromEntries(stores.map((store) => [store.name, shown(store)])));
}

function shown(store: ContentStoreDefinition): ShownContentStore {
  const { name, type, active, folderentityname, assetentityname, cacheexpiry, version, locale, index, images } = store;
  return {
    name,
    type,
    active,
    folderentityname,
    assetentityname,
    cacheexpiry,
    version,
    locale,
    index,
    images: Object.keys(images),
  };
}

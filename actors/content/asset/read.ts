/** Reads the metadata of assets: one, a list, the versions of one. */
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { demand, isAllowed } from '../judge.ts';
import { afterOf, isId, knownParameters, limitOf, pageOf } from '../page.ts';
import { storeOf } from '../part.ts';
import { end } from '../refused.ts';
import { rowAs, type Query, type Row } from '../rows.ts';
import { withTag } from '../tagged.ts';
import type { Wanted } from './asset-index.ts';
import { assetOf } from './fields.ts';
import { findAsset } from './find.ts';
import { sweepSometimes } from './sweep.ts';
import type { Routes } from '../routes.ts';
import type { Asset, AssetVersion } from '../shapes.ts';

const operation = 'readasset';
const PARAMETERS = ['name', 'content_type', 'locale', 'folder_id', 'tag', 'limit', 'after'];
/** Pages that one list reads to find assets with a tag, or assets that its caller may see. */
const LOOKS_MAX = 20;

export async function readAsset(call: Call): Promise<Outcome<Routes['asset_read']>> {
  knownParameters(call, []);
  const store = storeOf(call);
  const asset = assetOf(store, await findAsset(call, store, operation));
  return reply(200, asset, withTag(asset));
}

/** In the order of their ids; assets that a rule hides are left out. */
export async function listAssets(call: Call): Promise<Outcome<Routes['asset_list']>> {
  const store = storeOf(call);
  const { judge } = store;
  const readsRow = judge.rules.get(operation)?.usesRow === true;
  if (!readsRow) demand(call, judge, { operation, of: store.name });
  const given = knownParameters(call, PARAMETERS);
  const limit = limitOf(given['limit']);
  const wanted = (row: Row): boolean =>
    (given['tag'] === undefined || (row['tags'] as string[]).includes(given['tag'])) &&
    (!readsRow || isAllowed(call, judge, { operation, of: store.name, row }));
  const found: Asset[] = [];
  const asked = wantedOf(given);
  let after = afterOf(given['after'])['id[gt]'];
  for (let looks = 0; looks < LOOKS_MAX && found.length <= limit; looks++) {
    const rows = await store.index.list(call, after === undefined ? asked : { ...asked, after }, limit + 1);
    found.push(...rows.filter(wanted).map((row) => assetOf(store, row)));
    if (rows.length <= limit) return reply(200, pageOf(found, limit));
    after = rows.at(-1)!['id'] as string;
  }
  if (found.length > limit) return reply(200, pageOf(found, limit));
  const page = { has_next_page: true, end_cursor: after ?? null };
  return reply(200, { data: found, count: found.length, page });
}

function wantedOf(given: Query): Wanted {
  const { name, content_type, locale, folder_id: folder } = given;
  if (folder !== undefined && folder !== 'null' && !isId(folder))
    end('content.bad_query', { message: 'folder_id must be an id, or null' });
  return {
    ...(name !== undefined && { name }),
    ...(content_type !== undefined && { content_type }),
    ...(locale !== undefined && { locale }),
    ...(folder !== undefined && { folder_id: folder === 'null' ? null : folder }),
  };
}

/** The newest first; without versions in the store there is one. */
export async function listVersions(call: Call): Promise<Outcome<Routes['asset_versions']>> {
  knownParameters(call, []);
  const store = storeOf(call);
  const asset = await findAsset(call, store, operation);
  sweepSometimes(call.activation, store);
  if (!store.keepsVersions)
    return reply(200, { data: [versionOf({ ...asset, number: 1, created_at: asset['updated_at'] })], count: 1 });
  const versions = (await store.index.versions(call, asset)).map(versionOf);
  versions.sort((a, b) => b.number - a.number);
  return reply(200, { data: versions, count: versions.length });
}

function versionOf({ number, name, content_type, size, sha256, created_at }: Row): AssetVersion {
  return rowAs({ number, name, content_type, size, sha256, created_at });
}

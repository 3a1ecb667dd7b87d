/** What is known of assets: one, a list, the files that one has had. */
import type { Call } from '#actors/host/call.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { demand, isAllowed } from '../judge.ts';
import { afterOf, isId, knownParameters, limitOf, pageOf } from '../page.ts';
import { storeOf } from '../part.ts';
import type { OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import { Rows } from '../rows.ts';
import type { Query, Row } from '../rows.ts';
import { findAsset } from './find.ts';
import { sweepSometimes } from './sweep.ts';

const operation = 'readasset';
const FILTERS = ['name', 'content_type', 'locale'] as const;
const PARAMETERS = [...FILTERS, 'folder_id', 'tag', 'limit', 'after'];
/** Pages that one list looks through for those with a tag, or those that its caller may see. */
const LOOKS_MAX = 20;

export async function readAsset(call: Call): Promise<Reply<200>> {
  knownParameters(call, []);
  return reply(200, await findAsset(call, storeOf(call), operation));
}

/** In the order of their ids; those that a rule hides are left out. */
export async function listAssets(call: Call): Promise<Reply<200>> {
  const store = storeOf(call);
  const { judge } = store;
  const readsRow = judge.rules.get(operation)?.usesRow === true;
  if (!readsRow) demand(call, judge, { operation, of: store.name });
  const given = knownParameters(call, PARAMETERS);
  const limit = limitOf(given['limit']);
  const wanted = (row: Row): boolean =>
    (given['tag'] === undefined || (row['tags'] as string[]).includes(given['tag'])) &&
    (!readsRow || isAllowed(call, judge, { operation, of: store.name, row }));
  const found: Row[] = [];
  let after = afterOf(given['after']);
  for (let looks = 0; looks < LOOKS_MAX && found.length <= limit; looks++) {
    const rows = await pageFrom(call, store, { ...filtersOf(given), ...after }, limit + 1);
    found.push(...rows.filter(wanted));
    if (rows.length <= limit) return reply(200, pageOf(found, limit));
    after = { 'id[gt]': rows.at(-1)!['id'] as string };
  }
  if (found.length > limit) return reply(200, pageOf(found, limit));
  const page = { has_next_page: true, end_cursor: after['id[gt]'] ?? null };
  return reply(200, { data: found, count: found.length, page });
}

async function pageFrom(call: Call, store: OpenStore, query: Query, limit: number): Promise<Row[]> {
  const asked = { store: store.name, orderby: 'id', limit: String(limit), ...query };
  return (await new Rows(call, 'internal').list(store.asset, asked)).rows;
}

function filtersOf(given: Query): Query {
  const query: Record<string, string> = {};
  for (const name of FILTERS) if (given[name] !== undefined) query[`${name}[eq]`] = given[name];
  const folder = given['folder_id'];
  if (folder === 'null') query['folder_id[null]'] = 'true';
  else if (folder !== undefined) query['folder_id'] = folder;
  if (folder !== undefined && folder !== 'null' && !isId(folder))
    end('content.bad_query', { message: 'folder_id must be an id, or null' });
  return query;
}

/** The newest first; where a store keeps no versions there is one. */
export async function listVersions(call: Call): Promise<Reply<200>> {
  knownParameters(call, []);
  const store = storeOf(call);
  const asset = await findAsset(call, store, operation);
  sweepSometimes(call.activation, store);
  if (!store.keepsVersions)
    return reply(200, { data: [versionOf({ ...asset, number: 1, created_at: asset['updated_at'] })], count: 1 });
  const versions: Row[] = [];
  for await (const row of new Rows(call, 'internal').all(store.version, { asset_id: asset['id'] as string }))
    versions.push(versionOf(row));
  versions.sort((a, b) => (b['number'] as number) - (a['number'] as number));
  return reply(200, { data: versions, count: versions.length });
}

function versionOf({ number, name, content_type, size, sha256, created_at }: Row): Row {
  return { number, name, content_type, size, sha256, created_at };
}

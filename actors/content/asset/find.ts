/** One asset of a store. */
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { demand } from '../judge.ts';
import { isId } from '../page.ts';
import type { OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import { Rows, type Row } from '../rows.ts';

/** The asset of a call's path, if the caller may do this with it: else 403 or 401; 404 when it does not exist. */
export async function findAsset(call: Call, store: OpenStore, operation: string, data?: object): Promise<Row> {
  const id = call.param('id');
  const asset = isId(id) ? await store.index.get(call, id) : null;
  demand(call, store.judge, { operation, of: store.name, id, row: asset, ...(data !== undefined && { data }) });
  return asset ?? end('content.asset_not_found', { message: `the store ${store.name} has no asset ${shown(id)}` });
}

/** 422 for a folder that does not exist. */
export async function checkFolder(call: Call, store: OpenStore, id: unknown): Promise<void> {
  if (id === undefined || id === null) return;
  const found = typeof id === 'string' && isId(id) ? await new Rows(call, 'internal').get(store.folder, id) : null;
  if (found === null) end('content.folder_not_found', { message: `there is no folder ${shown(id)}` });
}

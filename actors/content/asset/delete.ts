/** DELETE /store/{name}/asset/{id}: removes its metadata and its versions; the bytes go when no asset needs them any more. */
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { storeOf } from '../part.ts';
import { assetOf } from './fields.ts';
import { findAsset } from './find.ts';
import { sweepSometimes } from './sweep.ts';
import type { Routes } from '../routes.ts';

export async function deleteAsset(call: Call): Promise<Outcome<Routes['asset_delete']>> {
  const store = storeOf(call);
  const { id } = await findAsset(call, store, 'deleteasset');
  const gone = await store.index.remove(call, id as string);
  sweepSometimes(call.activation, store);
  return reply(200, assetOf(store, gone));
}

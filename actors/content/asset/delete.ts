/** DELETE /store/{name}/asset/{id}: the row and its versions; the bytes go when nobody needs them any more. */
import type { Call } from '#actors/host/call.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { storeOf } from '../part.ts';
import { Rows } from '../rows.ts';
import { findAsset } from './find.ts';
import { sweepSometimes } from './sweep.ts';

export async function deleteAsset(call: Call): Promise<Reply<200>> {
  const store = storeOf(call);
  const { id } = await findAsset(call, store, 'deleteasset');
  const gone = await new Rows(call, 'internal').remove(store.asset, id as string, call.header('if-match'));
  sweepSometimes(call.activation, store);
  return reply(200, gone);
}

/** POST /store/{name}/asset: a file is streamed into the store and hashed, then the index gets its asset. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { FairBound } from '#actors/kit/fair-bound.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { demand, isKnownEarly } from '../judge.ts';
import { storeOf, type OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import { withTag } from '../tagged.ts';
import { assetOf, fileFields, uploaderFields } from './fields.ts';
import { checkFolder } from './find.ts';
import { AssetForm } from './form.ts';
import { sweepSometimes } from './sweep.ts';
import type { Routes } from '../routes.ts';

/** By tenant number: tenants of a thread share it, and uploads of each kind. */
export const running = new FairBound<number>({
  shared: limits.content.uploadsRunningMax,
  perOwner: limits.content.uploadsRunningOfTenantMax,
});
const operation = 'createasset';

export async function createAsset(call: Call): Promise<Outcome<Routes['asset_create']>> {
  const store = storeOf(call);
  if (isKnownEarly(store.judge, operation)) demand(call, store.judge, { operation, of: store.name });
  return withForm(call, store, async (form): Promise<Outcome<Routes['asset_create']>> => {
    const { uploaded, fields } = form;
    if (uploaded === null) return end('content.bad_body', { message: 'there is no part `file`' });
    demand(call, store.judge, { operation, of: store.name, data: fields });
    await checkFolder(call, store, fields['folder_id']);
    await form.publish();
    const id = call.activation.context.ids.next();
    const { locale } = store;
    const row = {
      ...fileFields(uploaded.value, uploaded.head),
      ...uploaderFields(call, store),
      locale,
      ...fields,
      id,
      store: store.name,
    };
    const asset = assetOf(store, await store.index.create(call, row));
    sweepSometimes(call.activation, store);
    return reply(201, asset, withTag(asset, { Location: `/store/${store.name}/asset/${id}` }));
  });
}

/** Reads an upload, few at a time, and drops a file that was not published. 400 for a body of another type. */
export async function withForm<R>(call: Call, store: OpenStore, use: (form: AssetForm) => Promise<R>): Promise<R> {
  if (call.stream === null) return end('content.bad_body', { message: 'the body must be multipart/form-data' });
  const { tenantNo } = call.activation;
  if (!running.take(tenantNo))
    return end('content.unavailable', {
      message: 'too many uploads of this tenant run now: try again when one has ended',
    });
  try {
    const form = await AssetForm.read(call, store);
    try {
      return await use(form);
    } finally {
      await form.drop();
    }
  } finally {
    running.give(tenantNo);
  }
}

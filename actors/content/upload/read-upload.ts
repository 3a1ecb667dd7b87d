/** GET, HEAD and DELETE /store/{name}/upload/{id} (tus 1.0.0, core and termination). */
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { knownParameters } from '../page.ts';
import { storeOf } from '../part.ts';
import { end } from '../refused.ts';
import type { Routes } from '../routes.ts';
import { endUpload } from './end-upload.ts';
import { findUpload } from './find-upload.ts';
import { checkVersion, expiryOf, headersOf, TUS } from './tus.ts';

/** A client that finds all its bytes there asks no more: so an upload that a crash kept from its asset gets it here. */
export async function readUpload(call: Call): Promise<Outcome<Routes['upload_read']>> {
  knownParameters(call, []);
  checkVersion(call, true);
  const store = storeOf(call);
  const upload = await findUpload(call, store);
  await endUpload(call, store, upload);
  const { note, offset } = upload;
  const state = {
    offset,
    length: note.length,
    expires_at: expiryOf(upload),
    asset_id: note.isDone ? note.assetId : null,
  };
  return reply(200, state, headersOf(store.name, upload));
}

/** What is an asset already stays one. */
export async function deleteUpload(call: Call): Promise<Outcome<Routes['upload_delete']>> {
  checkVersion(call);
  const store = storeOf(call);
  const upload = await findUpload(call, store);
  if (upload.isBusy || upload.ending !== null) end('content.upload_busy', { headers: TUS });
  await store.uploads.remove(upload);
  return reply(204, undefined, TUS);
}

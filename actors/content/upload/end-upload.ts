/** Makes the asset of an upload whose bytes are all there. */
import type { Call } from '#actors/host/call.ts';
import { uploadFile, type Uploaded } from '#actors/kit/file/upload.ts';
import { fileFields, uploaderFields } from '../asset/fields.ts';
import { assetType } from '../asset/media-type.ts';
import type { OpenStore } from '../part.ts';
import { endFull } from '../refused.ts';
import type { Upload } from './uploads.ts';

/**
 * Does nothing while bytes are missing, and where the asset is there. Several callers wait for one attempt. After a crash, or a refusal, the next
 * request of the upload tries again: the asset has its id from the upload's beginning on.
 */
export async function endUpload(call: Call, store: OpenStore, upload: Upload): Promise<void> {
  const { note, offset } = upload;
  if (note.isDone || offset < note.length || upload.isBusy) return;
  upload.ending ??= makeAsset(call, store, upload).finally(() => (upload.ending = null));
  await upload.ending;
}

async function makeAsset(call: Call, store: OpenStore, upload: Upload): Promise<void> {
  const { note, id } = upload;
  if ((await store.index.get(call, note.assetId)) === null) {
    const uploaded = await uploadFile(store.blobs, store.uploads.files.read(id), note.name, note.type, assetType);
    await publish(store, uploaded);
    const { name, ...file } = fileFields(uploaded.value, uploaded.head);
    const own = { ...uploaderFields(call, store), locale: store.locale };
    const row = { name, ...file, ...own, ...note.fields, id: note.assetId, store: store.name };
    await store.index.create(call, row);
  }
  await store.uploads.done(upload, call.activation.context.clock.now());
}

async function publish(store: OpenStore, { value, upload }: Uploaded): Promise<void> {
  const full = await store.use.admit(value);
  if (full === null) return upload.publish();
  await upload.drop();
  endFull(store.name, full);
}

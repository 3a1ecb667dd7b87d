/**
 * POST /store/{name}/upload: begins an upload in several requests (tus 1.0.0, creation), docs/contract/content.md §5.5, docs/decisions/content.md CO-19.
 *
 * Who may call: who may create the asset; each further request asks the same rule, and is its beginner's alone. What it costs: a file and a note; uploads are bounded in
 * number, size and time, and reserve their bytes of the store's quota. Whom it can hurt: callers of the same store, which has a bounded number of places.
 */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { safeName } from '#actors/kit/file/upload.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { checkFields } from '../asset/fields.ts';
import { checkFolder } from '../asset/find.ts';
import { partValue } from '../asset/part-value.ts';
import { sweepSometimes } from '../asset/sweep.ts';
import { demand } from '../judge.ts';
import { knownParameters } from '../page.ts';
import { storeOf, type OpenStore } from '../part.ts';
import { end, endFull } from '../refused.ts';
import type { Routes } from '../routes.ts';
import { endUpload } from './end-upload.ts';
import { ownerOf } from './find-upload.ts';
import { bytesIn, checkVersion, headersOf, metadataIn } from './tus.ts';
import type { UploadNote } from './upload-note.ts';

/** Names that clients of tus give a file's name and type. */
const NAME = 'filename';
const TYPE = 'filetype';
const ID_BYTES = 16;

export async function createUpload(call: Call): Promise<Outcome<Routes['upload_create']>> {
  knownParameters(call, []);
  const store = storeOf(call);
  const { context } = call.activation;
  const note = noteOf(call, store);
  demand(call, store.judge, { operation: 'createasset', of: store.name, data: note.fields });
  await checkFolder(call, store, note.fields['folder_id']);
  // Not an id of ours, which rises: where a store lets callers without a credential in, knowing it is what makes an upload theirs.
  const id = context.random(ID_BYTES).toString('base64url');
  const refused = await store.uploads.begin(id, note, () => store.use.roomFor(note.length));
  if (refused === 'many') end('content.too_many_uploads', { message: tooMany() });
  if (refused !== null) endFull(store.name, refused.full);
  const upload = (await store.uploads.get(id, context.clock.now()))!;
  await endUpload(call, store, upload);
  sweepSometimes(call.activation, store);
  return reply(201, undefined, { ...headersOf(store.name, upload), Location: `/store/${store.name}/upload/${id}` });
}

const tooMany = (): string =>
  `a store has at most ${limits.content.uploadsOpenMax} uploads under way, and a caller ${limits.content.uploadsOpenOfCallerMax}`;

function noteOf(call: Call, store: OpenStore): UploadNote {
  checkVersion(call);
  const length = bytesIn(call, 'upload-length');
  if (length > store.assetBytesMax)
    end('content.too_large', { message: `a file has at most ${store.assetBytesMax} bytes` });
  const texts = metadataIn(call);
  const name = safeName(texts.get(NAME) ?? texts.get('name') ?? '');
  const type = texts.get(TYPE) ?? '';
  for (const known of [NAME, TYPE]) texts.delete(known);
  const { clock, ids } = call.activation.context;
  return {
    assetId: ids.next(),
    length,
    name,
    type,
    fields: checkFields(
      store,
      Object.fromEntries([...texts].map(([key, text]) => [key, partValue(call, store, key, text)])),
    ),
    owner: ownerOf(call),
    endsAtMs: clock.now() + limits.content.uploadMs,
    isDone: false,
  };
}

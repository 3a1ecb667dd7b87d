/** Which function answers which route. */
import type { Call } from '#actors/host/call.ts';
import { replaying } from '#actors/host/idempotency/replay.ts';
import type { Once } from '#actors/host/idempotency/replay.ts';
import type { Handlers } from '#actors/host/service.ts';
import { readiness } from '#actors/kit/readiness.ts';
import { reply } from '#actors/protocol/route.ts';
import { listDocuments, readDocument } from './app/deliver.ts';
import { createDocument, deleteDocument, updateDocument } from './app/edit.ts';
import { mintToken } from './app/preview.ts';
import { createAsset } from './asset/create.ts';
import { deleteAsset } from './asset/delete.ts';
import { downloadAsset } from './asset/download.ts';
import { listAssets, listVersions, readAsset } from './asset/read.ts';
import { updateAsset } from './asset/update.ts';
import { createFolder, deleteFolder, listFolders, readFolder, updateFolder } from './folder/folders.ts';
import { createTag, deleteTag, listTags, readTag, updateTag } from './folder/tags.ts';
import { refuse } from './refusals.ts';
import { refusing } from './refused.ts';
import { routes } from './routes.ts';
import type { Routes } from './routes.ts';

/** Rows are written by the data service on a route's behalf: the key is taken in that commit. */
const once: Once = {
  invalid: () => refuse('content.idempotency_key_invalid'),
  reused: () => refuse('content.idempotency_key_reused'),
  inUse: (told) => refuse('content.idempotency_key_in_use', told),
  claiming: new Set(),
};

export function handlersOf(version: string): Handlers<Routes> {
  const plain = {
    asset_create: refusing(createAsset),
    asset_list: refusing(listAssets),
    asset_read: refusing(readAsset),
    asset_update: refusing(updateAsset),
    asset_delete: refusing(deleteAsset),
    asset_download: refusing(downloadAsset),
    asset_versions: refusing(listVersions),
    folder_list: refusing(listFolders),
    folder_create: refusing(createFolder),
    folder_read: refusing(readFolder),
    folder_update: refusing(updateFolder),
    folder_delete: refusing(deleteFolder),
    tag_list: refusing(listTags),
    tag_create: refusing(createTag),
    tag_read: refusing(readTag),
    tag_update: refusing(updateTag),
    tag_delete: refusing(deleteTag),
    preview: refusing(mintToken),
    document_list: refusing(listDocuments),
    document_create: refusing(createDocument),
    document_read: refusing(readDocument),
    document_update: refusing(updateDocument),
    document_delete: refusing(deleteDocument),
    health: () => reply(200, { healthy: true, version }),
    ready: (call: Call) => readiness(call, 200, true),
  };
  // What is thrown deep inside is not known to be of the row's refusals here: the contract's table proves it.
  return replaying(routes, plain as Handlers<Routes>, once);
}

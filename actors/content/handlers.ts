/** Which function answers which route. */
import { replaying, type Once } from '#actors/host/idempotency/replay.ts';
import type { Handlers } from '#actors/host/service.ts';
import { healthy, ready } from '#actors/host/readiness.ts';
import { adminHandlers } from './admin/handlers.ts';
import { listDocuments, readDocument } from './app/deliver.ts';
import { createDocument, deleteDocument, updateDocument } from './app/edit.ts';
import { mintToken } from './app/preview.ts';
import { listVersions as listDocumentVersions } from './app/versions.ts';
import { createAsset } from './asset/create.ts';
import { deleteAsset } from './asset/delete.ts';
import { downloadAsset } from './asset/download.ts';
import { listAssets, listVersions, readAsset } from './asset/read.ts';
import { readSigned } from './asset/read-signed.ts';
import { signAsset } from './asset/sign.ts';
import { updateAsset } from './asset/update.ts';
import { createFolder, deleteFolder, listFolders, readFolder, updateFolder } from './folder/folders.ts';
import { createTag, deleteTag, listTags, readTag, updateTag } from './folder/tags.ts';
import { readImage } from './image/read-image.ts';
import { refuse } from './refusals.ts';
import { refusing } from './refused.ts';
import { routes, type Routes } from './routes.ts';
import { appendUpload } from './upload/append-upload.ts';
import { createUpload } from './upload/create-upload.ts';
import { deleteUpload, readUpload } from './upload/read-upload.ts';

/** The data service writes rows on a route's behalf, and its commit claims the key. */
const once: Once = {
  invalid: () => refuse('content.idempotency_key_invalid'),
  reused: () => refuse('content.idempotency_key_reused'),
  inUse: (told) => refuse('content.idempotency_key_in_use', told),
  claiming: new Set(),
};

export function handlersOf(version: string): Handlers<Routes> {
  const plain: Handlers<Routes> = {
    asset_create: refusing(routes.asset_create, createAsset),
    asset_list: refusing(routes.asset_list, listAssets),
    asset_read: refusing(routes.asset_read, readAsset),
    asset_update: refusing(routes.asset_update, updateAsset),
    asset_delete: refusing(routes.asset_delete, deleteAsset),
    asset_download: refusing(routes.asset_download, downloadAsset),
    asset_image: refusing(routes.asset_image, readImage),
    asset_sign: refusing(routes.asset_sign, signAsset),
    asset_signed: refusing(routes.asset_signed, readSigned),
    asset_versions: refusing(routes.asset_versions, listVersions),
    upload_create: refusing(routes.upload_create, createUpload),
    upload_read: refusing(routes.upload_read, readUpload),
    upload_append: refusing(routes.upload_append, appendUpload),
    upload_delete: refusing(routes.upload_delete, deleteUpload),
    folder_list: refusing(routes.folder_list, listFolders),
    folder_create: refusing(routes.folder_create, createFolder),
    folder_read: refusing(routes.folder_read, readFolder),
    folder_update: refusing(routes.folder_update, updateFolder),
    folder_delete: refusing(routes.folder_delete, deleteFolder),
    tag_list: refusing(routes.tag_list, listTags),
    tag_create: refusing(routes.tag_create, createTag),
    tag_read: refusing(routes.tag_read, readTag),
    tag_update: refusing(routes.tag_update, updateTag),
    tag_delete: refusing(routes.tag_delete, deleteTag),
    preview: refusing(routes.preview, mintToken),
    document_list: refusing(routes.document_list, listDocuments),
    document_create: refusing(routes.document_create, createDocument),
    document_read: refusing(routes.document_read, readDocument),
    document_versions: refusing(routes.document_versions, listDocumentVersions),
    document_update: refusing(routes.document_update, updateDocument),
    document_delete: refusing(routes.document_delete, deleteDocument),
    ...adminHandlers,
    health: () => healthy(version),
    ready,
  };
  return replaying(routes, plain, once);
}

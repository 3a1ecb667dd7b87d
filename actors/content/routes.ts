/** Routes of the content service. Source: docs/contract/content.md §5, §6, §7. The door imports these rows, never the handlers. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { healthyShape, readyShape } from '#actors/protocol/probe-shapes.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { adminRows } from './admin/routes.ts';
import type { refusals } from './refusals.ts';
import * as shapes from './shapes.ts';

/** Rules decide which callers may do what; some allow every caller. */
const of = { position: 'door', rate: 'content_anonymous', ack: 'fsync' } as const;
const RULES = 'access rules of the type; without one a superadmin';
const looking = callers({ anonymous: true, users: [{ impersonation: 'readonly' }], service: 'here', further: RULES });
const changing = callers({ anonymous: true, users: [{ impersonation: 'full' }], service: 'here', further: RULES });
const read = { ...of, callers: looking, methods: ['GET'], body: 'none' } as const;
const change = { ...of, callers: changing, body: 'json', headers: ['idempotency-key'] } as const;
const remove = { ...of, callers: changing, methods: ['DELETE'], body: 'none', headers: ['idempotency-key'] } as const;
const conditional = { headers: ['if-match', 'idempotency-key'] } as const;
const probe = {
  position: 'none',
  callers: anyone(),
  rate: 'probe',
  methods: ['GET'],
  body: 'none',
  ack: 'memory',
  listener: 'own',
  refusals: [],
} as const;

const everywhere = [
  'content.unauthorized',
  'content.forbidden',
  'content.bad_query',
  'content.failed',
  'content.unavailable',
  'content.storage_full',
] as const;
const inStore = [...everywhere, 'content.store_not_found', 'content.invalid'] as const;
const once = [
  'content.idempotency_key_invalid',
  'content.idempotency_key_reused',
  'content.idempotency_key_in_use',
] as const;
const inBody = [...once, 'content.bad_body', 'content.conflict', 'content.precondition_failed'] as const;
const ofUpload = [...inStore, 'content.upload_version', 'content.upload_not_found'] as const;
const ended = ['content.conflict', 'content.too_large', 'content.backend_failed', 'content.folder_not_found'] as const;
const ofAsset = [...inStore, 'content.asset_not_found'] as const;
const uploaded = [...inBody, 'content.too_large', 'content.backend_failed', 'content.folder_not_found'] as const;
const ofFolder = [...inStore, ...inBody, 'content.folder_not_found'] as const;
const ofTag = [...inStore, ...inBody, 'content.tag_not_found'] as const;
const ofApp = [...everywhere, 'content.app_not_found', 'content.type_not_found', 'content.invalid'] as const;
const ofDocument = [...ofApp, 'content.document_not_found', 'content.preview_token_invalid'] as const;

export const routes = defineRoutes<typeof refusals>()({
  asset_create: {
    ...change,
    methods: ['POST'],
    path: '/store/{name}/asset',
    multipart: true,
    replies: { 201: shapes.asset },
    refusals: [...inStore, ...uploaded],
    summary: 'Store a file (`multipart/form-data` with one part `file`, and fields of the asset)',
  },
  asset_list: {
    ...read,
    path: '/store/{name}/asset',
    replies: { 200: shapes.assets },
    refusals: inStore,
    summary: 'List assets: `folder_id` (`null`: in none), `name`, `content_type`, `locale`, `tag`, `limit`, `after`',
  },
  asset_read: {
    ...read,
    path: '/store/{name}/asset/{id}',
    replies: { 200: shapes.asset },
    refusals: ofAsset,
    summary: 'Read what is known of an asset',
  },
  asset_update: {
    ...change,
    methods: ['PATCH'],
    path: '/store/{name}/asset/{id}',
    multipart: true,
    ...conditional,
    request: shapes.assetPatch,
    replies: { 200: shapes.asset },
    refusals: [...ofAsset, ...uploaded],
    summary: 'Change what is known of an asset, or its file (`multipart/form-data`)',
  },
  asset_delete: {
    ...remove,
    path: '/store/{name}/asset/{id}',
    ...conditional,
    replies: { 200: shapes.asset },
    refusals: [...ofAsset, ...once, 'content.conflict', 'content.precondition_failed'],
    summary: 'Delete an asset and its earlier versions',
  },
  asset_download: {
    ...read,
    path: '/store/{name}/asset/{id}/download',
    headers: ['range', 'if-range', 'if-none-match'],
    replies: { 200: shapes.file, 206: shapes.file, 304: null },
    refusals: [...ofAsset, 'content.range_not_satisfiable', 'content.backend_failed'],
    summary: 'The bytes of an asset, or a range of them; `version` names an earlier file',
  },
  asset_image: {
    ...read,
    path: '/store/{name}/asset/{id}/image/{size}',
    headers: ['if-none-match'],
    replies: { 200: shapes.file, 304: null },
    refusals: [
      ...ofAsset,
      'content.backend_failed',
      'content.image_not_found',
      'content.image_unsupported',
      'content.images_unavailable',
    ],
    summary: 'An asset that is an image, in a size that its store declares',
  },
  asset_sign: {
    ...of,
    callers: callers({ users: [{ impersonation: 'readonly' }], service: 'here', further: RULES }),
    body: 'json',
    methods: ['POST'],
    whileReadOnly: true,
    path: '/store/{name}/asset/{id}/sign',
    request: shapes.signWish,
    compressed: false,
    replies: { 200: shapes.signedUrl },
    refusals: [...ofAsset, 'content.bad_body', 'content.sign_forbidden'],
    summary: 'Make a URL of an asset that works without a header: `expires_in` (seconds), `disposition`, `version`',
  },
  asset_signed: {
    ...of,
    callers: anyone('the signature of the URL; its signer is authorized as it is now'),
    positionIn: 'query',
    methods: ['GET'],
    body: 'none',
    path: '/store/{name}/asset/{id}/signed',
    headers: ['range', 'if-range', 'if-none-match'],
    replies: { 200: shapes.file, 206: shapes.file, 304: null },
    refusals: [
      ...ofAsset,
      'content.range_not_satisfiable',
      'content.backend_failed',
      'content.signed_url_invalid',
      'content.signed_url_over',
    ],
    summary: 'The bytes of an asset, by a URL that `sign` has made',
  },
  asset_versions: {
    ...read,
    path: '/store/{name}/asset/{id}/versions',
    replies: { 200: shapes.assetVersions },
    refusals: ofAsset,
    summary: 'The files that an asset has had, the newest first',
  },
  upload_create: {
    ...change,
    methods: ['POST'],
    path: '/store/{name}/upload',
    body: 'none',
    headers: ['tus-resumable', 'upload-length', 'upload-metadata'],
    replies: { 201: null },
    refusals: [...inStore, ...ended, 'content.upload_version', 'content.upload_invalid', 'content.too_many_uploads'],
    summary: 'Begin an upload in several requests (tus 1.0.0): `Upload-Length`, `Upload-Metadata`',
  },
  upload_read: {
    ...read,
    callers: changing,
    path: '/store/{name}/upload/{id}',
    headers: ['tus-resumable'],
    replies: { 200: shapes.uploadState },
    refusals: [...ofUpload, ...ended],
    summary: 'How far an upload is; HEAD gives it as `Upload-Offset`',
  },
  upload_append: {
    ...change,
    methods: ['PATCH'],
    path: '/store/{name}/upload/{id}',
    body: 'stream',
    headers: ['tus-resumable', 'content-type', 'upload-offset', 'upload-checksum'],
    replies: { 204: null },
    refusals: [
      ...ofUpload,
      ...ended,
      'content.upload_invalid',
      'content.upload_type',
      'content.upload_offset',
      'content.upload_busy',
      'content.upload_checksum',
    ],
    summary: 'Bytes of an upload from `Upload-Offset` on; the last ones make the asset',
  },
  upload_delete: {
    ...remove,
    path: '/store/{name}/upload/{id}',
    headers: ['tus-resumable'],
    replies: { 204: null },
    refusals: [...ofUpload, 'content.upload_busy'],
    summary: 'End an upload and drop its bytes',
  },
  folder_list: {
    ...read,
    path: '/store/{name}/folder',
    replies: { 200: shapes.folders },
    refusals: inStore,
    summary: 'List all folders; `parent_id` (`null`: at the top), and pages where `limit` or `after` asks for them',
  },
  folder_create: {
    ...change,
    methods: ['POST'],
    path: '/store/{name}/folder',
    request: shapes.folderBody,
    replies: { 201: shapes.folder },
    refusals: ofFolder,
    summary: 'Make a folder',
  },
  folder_read: {
    ...read,
    path: '/store/{name}/folder/{id}',
    replies: { 200: shapes.folder },
    refusals: ofFolder,
    summary: 'Read a folder',
  },
  folder_update: {
    ...change,
    methods: ['PATCH'],
    path: '/store/{name}/folder/{id}',
    request: shapes.folderBody,
    replies: { 200: shapes.folder },
    refusals: ofFolder,
    summary: 'Rename or move a folder, with everything in it',
  },
  folder_delete: {
    ...remove,
    path: '/store/{name}/folder/{id}',
    replies: { 200: shapes.folder },
    refusals: ofFolder,
    summary: 'Delete an empty folder',
  },
  tag_list: {
    ...read,
    path: '/store/{name}/tag',
    replies: { 200: shapes.tags },
    refusals: inStore,
    summary: 'List all tags, in pages where `limit` or `after` asks for them',
  },
  tag_create: {
    ...change,
    methods: ['POST'],
    path: '/store/{name}/tag',
    request: shapes.tagBody,
    replies: { 201: shapes.tag },
    refusals: ofTag,
    summary: 'Make a tag',
  },
  tag_read: {
    ...read,
    path: '/store/{name}/tag/{id}',
    replies: { 200: shapes.tag },
    refusals: ofTag,
    summary: 'Read a tag',
  },
  tag_update: {
    ...change,
    methods: ['PATCH'],
    path: '/store/{name}/tag/{id}',
    request: shapes.tagBody,
    replies: { 200: shapes.tag },
    refusals: ofTag,
    summary: 'Rename a tag',
  },
  tag_delete: {
    ...remove,
    path: '/store/{name}/tag/{id}',
    replies: { 200: shapes.tag },
    refusals: ofTag,
    summary: 'Delete a tag',
  },
  preview: {
    ...of,
    callers: looking,
    body: 'json',
    methods: ['POST'],
    whileReadOnly: true,
    path: '/content/{app}/preview',
    request: shapes.previewWish,
    compressed: false,
    replies: { 200: shapes.previewToken },
    refusals: [...ofApp, 'content.bad_body', 'content.document_not_found', 'content.preview_unconfigured'],
    summary: 'Mint a token that shows one document of the app before it is published',
  },
  document_list: {
    ...read,
    path: '/content/{app}/{type}',
    replies: { 200: shapes.documents },
    refusals: ofApp,
    summary:
      'Published documents of a type: `locale`, `orderby`, `limit`, `after`, and filters on fields; `status` for editors',
  },
  document_create: {
    ...change,
    methods: ['POST'],
    path: '/content/{app}/{type}',
    request: shapes.documentBody,
    replies: { 201: shapes.document },
    refusals: [...ofDocument, ...inBody],
    summary: 'Create a document, or with `document_id` and `locale` its translation',
  },
  document_read: {
    ...read,
    path: '/content/{app}/{type}/{id}',
    headers: ['x-preview-token'],
    replies: { 200: shapes.document },
    refusals: ofDocument,
    summary:
      'A published document in `locale`, else in the default one; unpublished with `preview` (a token), and for editors with `status` (`any`, or a state) or `version`',
  },
  document_versions: {
    ...read,
    path: '/content/{app}/{type}/{id}/versions',
    replies: { 200: shapes.documentVersions },
    refusals: [...ofApp, 'content.document_not_found'],
    summary: 'The states that a document has had in `locale`, the newest first, for editors: `limit`, `after`',
  },
  document_update: {
    ...change,
    methods: ['PATCH'],
    path: '/content/{app}/{type}/{id}',
    ...conditional,
    request: shapes.documentBody,
    replies: { 200: shapes.document },
    refusals: [...ofDocument, ...inBody],
    summary: 'Change fields of a document in `locale`; what is not localized changes in all',
  },
  document_delete: {
    ...remove,
    path: '/content/{app}/{type}/{id}',
    replies: { 200: shapes.document },
    refusals: [...ofDocument, ...once, 'content.conflict'],
    summary: 'Delete a document, or with `locale` one translation of it',
  },
  ...adminRows,
  health: { ...probe, path: '/health', replies: { 200: healthyShape }, summary: 'Whether the service lives' },
  ready: {
    ...probe,
    path: '/ready',
    headers: ['accept'],
    replies: { 200: readyShape },
    summary: 'Whether requests are taken',
  },
});
export type Routes = typeof routes;

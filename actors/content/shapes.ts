/** Bodies of the content service (docs/contract/content.md §5, §6, §7). */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import { ANY_TYPE, bytesShape } from '#actors/protocol/shape.ts';

const page = z.object({ has_next_page: z.boolean(), end_cursor: z.string().nullable() });
const stamps = { created_at: z.string(), updated_at: z.string() };

/** Besides these an asset has the fields that `content/extend` adds. */
export const asset = z.looseObject({
  id: z.string(),
  store: z.string(),
  folder_id: z.string().nullable(),
  name: z.string(),
  content_type: z.string(),
  size: z.int(),
  sha256: z.string(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  title: z.string().nullable(),
  alt: z.string().nullable(),
  tags: z.array(z.string()),
  locale: z.string().nullable(),
  version: z.int(),
  ...stamps,
});
export type Asset = BodyOf<typeof asset>;
export const assets = z.object({ data: z.array(asset), count: z.int(), page });

const assetVersion = z.object({
  number: z.int(),
  name: z.string(),
  content_type: z.string(),
  size: z.int(),
  sha256: z.string(),
  created_at: z.string(),
});
export type AssetVersion = BodyOf<typeof assetVersion>;
export const assetVersions = z.object({ data: z.array(assetVersion), count: z.int() });

/** Bytes of the media type that the file was stored under. */
export const file = bytesShape(ANY_TYPE);

export const uploadState = z.object({
  offset: z.int().describe('Bytes that are there.'),
  length: z.int(),
  expires_at: z.string(),
  asset_id: z.string().nullable().describe('The asset, once all bytes are there.'),
});

export const signWish = z.object({
  expires_in: z.int().min(1).max(limits.signedUrl.lifeSecondsMax).describe('Seconds; an hour when absent.').optional(),
  disposition: z.enum(['inline', 'attachment']).describe('`attachment` when absent.').optional(),
  version: z.int().min(1).describe('An earlier file of the asset; the present one when absent.').optional(),
});
export const signedUrl = z.object({ url: z.string().describe('Path and query.'), expires_at: z.string() });

export const assetPatch = z.looseObject({});
export const folder = z.looseObject({
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  path: z.string(),
});
export type Folder = BodyOf<typeof folder>;
export const folders = z.object({ data: z.array(folder), count: z.int(), page: page.optional() });
export const folderBody = z.looseObject({ name: z.string().optional(), parent_id: z.string().nullable().optional() });
export const tag = z.looseObject({ id: z.string(), name: z.string() });
export type Tag = BodyOf<typeof tag>;
export const tags = z.object({ data: z.array(tag), count: z.int(), page: page.optional() });
export const tagBody = z.looseObject({ name: z.string() });

/** A document is its type's fields, and `status`, `published_at`; in an app with locales `document_id` and `locale` too. */
export const document = z.looseObject({ id: z.string(), status: z.enum(['draft', 'published', 'archived']) });
export type Document = BodyOf<typeof document>;
export const documents = z.object({ data: z.array(document), count: z.int(), page });
const documentVersion = z.object({ number: z.int(), status: document.shape.status, updated_at: z.string() });
export type DocumentVersion = BodyOf<typeof documentVersion>;
export const documentVersions = z.object({ data: z.array(documentVersion), count: z.int(), page });
export const documentBody = z.looseObject({});

export const previewWish = z.object({
  type: z.string(),
  id: z.string(),
  expires_in: z.int().optional(),
});
export const previewToken = z.object({ token: z.string(), expires_in: z.int() });

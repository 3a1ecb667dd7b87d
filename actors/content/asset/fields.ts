/** Fields of an asset: those that callers may set, and those that come from its file and its store. */
import { UPLOADER } from '#config/definitions/content/shapes.ts';
import { limits } from '#config/limits.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import { safeName } from '#actors/kit/file/upload.ts';
import type { Call } from '#actors/host/call.ts';
import { end } from '../refused.ts';
import { rowAs, type Row } from '../rows.ts';
import type { Asset } from '../shapes.ts';
import { imageSize } from './image-size.ts';

const OWN = ['id', 'store', 'content_type', 'size', 'sha256', 'width', 'height', 'version', 'created_at', 'updated_at'];

/** What the store says of persons; null where it records no uploader. */
type Uploads = { readonly onErasure: string | null };

/** The fields of a caller. 422 for one that callers may not set, for tags that are not a list of texts, for an empty name. */
export function checkFields({ onErasure }: Uploads, fields: Record<string, unknown>): Record<string, unknown> {
  const isOwn = (name: string): boolean => OWN.includes(name) || (onErasure !== null && name === UPLOADER);
  const own = Object.keys(fields).find(isOwn);
  if (own !== undefined)
    end('content.invalid', {
      message: `${own} is set by the store`,
      details: { fields: { [own]: ['is set by the store'] } },
    });
  if (Object.hasOwn(fields, 'tags')) fields['tags'] = checkTags(fields['tags']);
  if (typeof fields['name'] === 'string') fields['name'] = safeName(fields['name']);
  return fields;
}

function checkTags(tags: unknown): unknown {
  const most = limits.content.tagsPerAssetMax;
  const good = Array.isArray(tags) && tags.length <= most && tags.every(isTag);
  const fault = `must be a list of at most ${most} texts of 1 to 100 characters`;
  if (!good) end('content.invalid', { message: `tags ${fault}`, details: { fields: { tags: [fault] } } });
  return [...new Set(tags as string[])];
}

const isTag = (tag: unknown): boolean => typeof tag === 'string' && tag.length > 0 && tag.length <= 100;

/** The user who uploads, where the store declares `person`; null for a key, a service, and without a credential. */
export function uploaderFields({ principal }: Call, { onErasure }: Uploads): Record<string, unknown> {
  if (onErasure === null) return {};
  return { [UPLOADER]: principal?.type === 'user' ? principal.subject : null };
}

/** An asset as callers see it: ids of users are not for everybody who may read assets. */
export function assetOf({ onErasure }: Uploads, row: Row): Asset {
  if (onErasure === null) return rowAs<Asset>(row);
  const { [UPLOADER]: _uploader, ...asset } = row;
  return rowAs<Asset>(asset);
}

/** Fields of an asset that come from its file. */
export function fileFields({ name, content_type, size, sha256 }: FileRecord, head: Buffer): Record<string, unknown> {
  const { width = null, height = null } = imageSize(content_type, head) ?? {};
  return { name, content_type, size, sha256, width, height };
}

/** Fields of an earlier version of an asset. */
export function versionFields(asset: Readonly<Record<string, unknown>>, number: number): Record<string, unknown> {
  const { id, name, content_type, size, sha256 } = asset;
  return { asset_id: id, number, name, content_type, size, sha256 };
}

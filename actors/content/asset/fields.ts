/** Fields of an asset that callers may set, and those that its file and its store say. */
import { limits } from '#config/limits.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import { safeName } from '#actors/kit/file/upload.ts';
import { end } from '../refused.ts';
import { imageSize } from './image-size.ts';

const OWN = ['id', 'store', 'content_type', 'size', 'sha256', 'width', 'height', 'version', 'created_at', 'updated_at'];

/** The fields of a caller. 422 for one that is not his to set, for tags that are no list of texts, for an empty name. */
export function checkFields(fields: Record<string, unknown>): Record<string, unknown> {
  const own = OWN.find((name) => Object.hasOwn(fields, name));
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

/** What a file says of its asset. */
export function fileFields({ name, content_type, size, sha256 }: FileRecord, head: Buffer): Record<string, unknown> {
  const { width = null, height = null } = imageSize(content_type, head) ?? {};
  return { name, content_type, size, sha256, width, height };
}

/** What an earlier version of an asset is known by. */
export function versionFields(asset: Readonly<Record<string, unknown>>, number: number): Record<string, unknown> {
  const { id, name, content_type, size, sha256 } = asset;
  return { asset_id: id, number, name, content_type, size, sha256 };
}

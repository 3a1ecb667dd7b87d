/**
 * GET /store/{name}/asset/{id}/image/{size}: an image among the assets, in a size that its store declares (docs/contract/content.md §5.4, docs/decisions/content.md
 * CO-18).
 *
 * Who may call: who may download the asset. What it costs: a file is read; the first time a job decodes the image, within bounds of bytes, pixels and time, one at a
 * time in a host. Whom it can hurt: others that wait for images, of which a tenant has a few at a time; a decoder that dies takes its job thread along.
 */
import type { Call } from '#actors/host/call.ts';
import { disposition } from '#actors/kit/file/disposition.ts';
import { namesTag } from '#actors/kit/file/entity-tag.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, replyBytes, type Outcome } from '#actors/protocol/route.ts';
import { limits } from '#config/limits.ts';
import { keeping, SANDBOXED } from '../asset/download.ts';
import { findAsset } from '../asset/find.ts';
import { knownParameters } from '../page.ts';
import { partOf, storeOf, type OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import type { Row } from '../rows.ts';
import type { Routes } from '../routes.ts';
import type { ImageSize } from './image-size.ts';

/** Formats that are read: a vector image runs a program, and others need decoders that are seldom looked at. Of an animation its first picture is shown. */
const READ: ReadonlySet<unknown> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

export async function readImage(call: Call): Promise<Outcome<Routes['asset_image']>> {
  knownParameters(call, []);
  const store = storeOf(call);
  const asset = await findAsset(call, store, 'downloadasset');
  const name = call.param('size');
  const size = store.images.get(name);
  if (size === undefined)
    return end('content.image_not_found', { message: `the store ${store.name} declares no size ${shown(name)}` });
  checkSource(asset);
  const tag = `"${(asset['sha256'] as string).slice(0, 32)}-${size.key}"`;
  const headers = {
    'Content-Disposition': disposition('inline', `${withoutExtension(asset['name'] as string)}.${size.extension}`),
    ...SANDBOXED,
    ...keeping(call, store),
    ETag: tag,
  };
  if (namesTag(call.header('if-none-match'), tag)) return reply(304, undefined, headers);
  return replyBytes(200, await imageOf(call, store, asset, size), size.type, headers);
}

/** 422 for a file that is none of the formats, or too large. */
function checkSource({ content_type: type, size, width, height }: Row): void {
  if (!READ.has(type))
    end('content.image_unsupported', {
      message: `${String(type)} is shown in no other size: only JPEG, PNG, WebP and GIF are`,
    });
  const { imageSourceBytesMax: bytesMax, imagePixelsMax: pixelsMax } = limits.content;
  if ((size as number) > bytesMax)
    end('content.image_unsupported', {
      message: `the file has ${String(size)} bytes, and at most ${bytesMax} are read`,
    });
  if (Number(width ?? 0) * Number(height ?? 0) > pixelsMax)
    end('content.image_unsupported', { message: `the image has more than ${pixelsMax} pixels` });
}

const withoutExtension = (name: string): string => name.replace(/\.[A-Za-z0-9]{1,5}$/, '');

/** The image as it is kept, else made now and kept where there is room. */
async function imageOf(call: Call, store: OpenStore, asset: Row, size: ImageSize): Promise<Uint8Array> {
  const sha256 = asset['sha256'] as string;
  const kept = await store.blobs.derived.read(sha256, size.key);
  if (kept !== null) return kept;
  const { tenantNo } = call.activation;
  const wish = { tenantNo, store, sha256, bytes: asset['size'] as number, size };
  const made = await partOf(call.activation).maker.make(wish, performance.now());
  switch (made.kind) {
    case 'image':
      await keep(call, store, sha256, size, made.bytes);
      return made.bytes;
    case 'bad':
      return end('content.image_unsupported', { message: made.message });
    case 'missing':
      return end('content.images_unavailable', { message: made.message });
    case 'busy':
      return end('content.unavailable', { message: 'too many images are being made: try again' });
  }
}

/** An image that cannot be kept is made again the next time. */
async function keep(
  call: Call,
  { blobs, images, name, use }: OpenStore,
  sha256: string,
  size: ImageSize,
  bytes: Uint8Array,
): Promise<void> {
  const { context, position } = call.activation;
  try {
    if ((await use.admitBytes(bytes.byteLength)) !== null) return;
    const declared = new Set([...images.values()].map(({ key }) => key));
    for (const key of await blobs.derived.names(sha256))
      if (!declared.has(key)) await blobs.derived.removeOne(sha256, key);
    await blobs.derived.write(sha256, size.key, bytes);
    // Its file may have gone meanwhile, and with it what was made of it.
    if ((await blobs.size(sha256)) === null) blobs.derived.remove(sha256);
  } catch (error) {
    context.log.warn(
      { err: error, tenant: position.key, store: name },
      'an image in another size was not kept: it is made again for the next caller; look for room on the disk',
    );
  }
}

/** GET /store/{name}/asset/{id}/download: the bytes, whole or a range (RFC 9110 §13, §14), with the SHA-256 as strong ETag. */
import type { Call } from '#actors/host/call.ts';
import { disposition } from '#actors/kit/file/disposition.ts';
import { namesTag } from '#actors/kit/file/entity-tag.ts';
import { rangeOf } from '#actors/kit/file/range.ts';
import { isShown } from '#actors/kit/file/shown-type.ts';
import { keptAtPosition, type CachingHeaders } from '#actors/protocol/caching.ts';
import { reply, replyStream, type Outcome, type Reply } from '#actors/protocol/route.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { knownParameters } from '../page.ts';
import { storeOf, type OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import type { Row } from '../rows.ts';
import { findAsset } from './find.ts';
import type { Routes } from '../routes.ts';

type Downloaded = Outcome<Routes['asset_download']>;
type Sent = Exclude<Downloaded, Reply<304> | Refusal>;

export async function downloadAsset(call: Call): Promise<Downloaded> {
  const { version } = knownParameters(call, ['version']);
  const store = storeOf(call);
  const asset = await findAsset(call, store, 'downloadasset');
  const file = version === undefined ? asset : await earlier(call, store, asset, version);
  const tag = `"${file['sha256'] as string}"`;
  const headers = { ...guarded(file), ...keeping(call, store), ETag: tag, 'Accept-Ranges': 'bytes' };
  if (namesTag(call.header('if-none-match'), tag)) return reply(304, undefined, headers);
  return bytes(call, store, file, headers);
}

/** An earlier file of an asset, or 404. */
export async function earlier(call: Call, store: OpenStore, asset: Row, version: string): Promise<Row> {
  const number = /^\d{1,9}$/.test(version)
    ? version
    : end('content.bad_query', { message: 'version must be a number' });
  const found = await store.index.version(call, asset, Number(number));
  return found ?? end('content.asset_not_found', { message: `the asset has no version ${number}` });
}

/** The bytes of a file, whole or the part that `Range` names, or 416. */
export async function bytes(
  call: Call,
  store: OpenStore,
  file: Row,
  headers: Readonly<Record<string, string>>,
): Promise<Sent> {
  const sha256 = file['sha256'] as string;
  const size = file['size'] as number;
  const ifRange = call.header('if-range');
  const asked = ifRange === undefined || ifRange === headers['ETag'] ? rangeOf(call.header('range'), size) : null;
  if (asked === undefined)
    return end('content.range_not_satisfiable', { headers: { 'Content-Range': `bytes */${size}` } });
  if ((await store.blobs.size(sha256)) !== size) throw new Error(`the blob ${sha256} of an asset is not there`);
  const { from, to } = asked ?? { from: 0, to: size };
  const stream = { length: to - from, pieces: store.blobs.read(sha256, from, to) };
  const type = file['content_type'] as string;
  if (asked === null) return replyStream(200, stream, type, headers);
  return replyStream(206, stream, type, { ...headers, 'Content-Range': `bytes ${from}-${to - 1}/${size}` });
}

/** Headers by which browsers neither guess another type nor run the file. */
function guarded({ name, content_type }: Row): Readonly<Record<string, string>> {
  const how = isShown(content_type as string) ? 'inline' : 'attachment';
  return { 'Content-Disposition': disposition(how, name as string), ...SANDBOXED };
}

/** What every answer with a file's bytes says. */
export const SANDBOXED = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' } as const;

/** A shared cache may not keep an answer that needed a credential. */
export function keeping({ principal }: Call, { maxAgeSeconds }: OpenStore): CachingHeaders {
  if (maxAgeSeconds === null) return keptAtPosition(principal === null ? 'no-cache' : 'private, no-cache');
  return keptAtPosition(`${principal === null ? 'public' : 'private'}, max-age=${maxAgeSeconds}`);
}

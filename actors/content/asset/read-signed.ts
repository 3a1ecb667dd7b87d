/**
 * GET /store/{name}/asset/{id}/signed: the bytes of an asset, by a signed URL (docs/contract/content.md §5.3). The rule is asked for its signer as
 * it is now, and the file must be the one that was signed.
 */
import type { Call } from '#actors/host/call.ts';
import { openUrl, SIGNED_HEADERS, type FileState, type OpenUrl } from '#actors/host/signed-url/signed-url.ts';
import { disposition } from '#actors/kit/file/disposition.ts';
import { namesTag } from '#actors/kit/file/entity-tag.ts';
import { Refused } from '#actors/kit/refused.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { SERVICE, storeOf, type OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import { rowAs } from '../rows.ts';
import type { Routes } from '../routes.ts';
import { bytes, earlier, SANDBOXED } from './download.ts';
import { findAsset } from './find.ts';

type Shown = Outcome<Routes['asset_signed']>;
type File = FileState & Readonly<Record<string, unknown>>;

/** Refusals that say that there is nothing to be had by this URL any more; others, such as a bucket that fails, are answered as they are. */
const GONE: ReadonlySet<number> = new Set([403, 404]);

export async function readSigned(call: Call): Promise<Shown> {
  const url = openUrl(call, SERVICE);
  if (url === 'invalid') return end('content.signed_url_invalid', { headers: SIGNED_HEADERS });
  if (url === 'over') return over();
  call.principal = url.signer;
  const { store, file } = await fileOf(call, url);
  const headers = {
    'Content-Disposition': disposition(url.disposition, file.name),
    ...SANDBOXED,
    ...SIGNED_HEADERS,
    ETag: `"${file.sha256}"`,
    'Accept-Ranges': 'bytes',
  };
  if (namesTag(call.header('if-none-match'), headers.ETag)) return reply(304, undefined, headers);
  return bytes(call, store, file, headers);
}

async function fileOf(call: Call, url: OpenUrl): Promise<{ readonly store: OpenStore; readonly file: File }> {
  try {
    const store = storeOf(call);
    const asset = await findAsset(call, store, 'downloadasset');
    const file = rowAs<File>(url.part === '' ? asset : await earlier(call, store, asset, url.part));
    return url.isOf(file) ? { store, file } : over();
  } catch (error) {
    if (error instanceof Refused && isRefusal(error.refusal) && GONE.has(error.refusal.status)) return over();
    throw error;
  }
}

const over = (): never => end('content.signed_url_over', { headers: SIGNED_HEADERS });

/**
 * GET /data/rest/{entity}/id/{id}/signed: the bytes of a file, by a signed URL (docs/contract/data.md §5.11). The rules are asked for its signer as
 * it is now, and the file must be the one that was signed.
 */
import type { Call } from '#actors/host/call.ts';
import { openUrl, SIGNED_HEADERS } from '#actors/host/signed-url/signed-url.ts';
import { namesTag } from '#actors/kit/file/entity-tag.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { SERVICE } from '../part.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { download, fileTag } from './download.ts';
import { findFile } from './find-file.ts';

type Shown = Outcome<Routes['read_signed']>;

/** Refusals that say that there is nothing to be had by this URL any more; others, such as a damaged row, are answered as they are. */
const GONE: ReadonlySet<number> = new Set([403, 404]);

export async function readSigned(call: Call): Promise<Shown> {
  const url = openUrl(call, SERVICE);
  if (url === 'invalid') return refuse('v2.signed_url_invalid', { headers: SIGNED_HEADERS });
  if (url === 'over') return over();
  call.principal = url.signer;
  const file = await findFile(call, url.part);
  if ('kind' in file) return GONE.has(file.status) ? over() : file;
  if (!url.isOf(file)) return over();
  const headers = { ...SIGNED_HEADERS, ETag: fileTag(file) };
  if (namesTag(call.header('if-none-match'), headers.ETag)) return reply(304, undefined, headers);
  const sent = await download(call, file, { disposition: url.disposition, headers: SIGNED_HEADERS });
  return isRefusal(sent) ? { ...sent, headers: { ...sent.headers, ...SIGNED_HEADERS } } : sent;
}

const over = () => refuse('v2.signed_url_over', { headers: SIGNED_HEADERS });

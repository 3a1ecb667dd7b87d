/** POST /data/rest/{entity}/id/{id}/sign: a URL of a file that works without a header (docs/contract/data.md §5.11). */
import type { Call } from '#actors/host/call.ts';
import { signerOf, signUrl } from '#actors/host/signed-url/signed-url.ts';
import { faultOfType, wishOf } from '#actors/host/signed-url/wish.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { partOf, SERVICE } from '../part.ts';
import { refuse } from '../refusals.ts';
import { routes, type Routes } from '../routes.ts';
import { findFile } from './find-file.ts';

type Signed = Outcome<Routes['sign']>;

export async function signFile(call: Call): Promise<Signed> {
  const body = call.json();
  if (!body.ok) return refuse('v2.bad_json', { message: body.fault });
  const wish = wishOf(body.value, ['field']);
  if ('fault' in wish) return refuse('v2.sign_invalid', { message: wish.fault });
  const { field } = body.value as { readonly field?: unknown };
  if (typeof field !== 'string')
    return refuse('v2.missing_field', { message: 'the body must name the file field: field' });
  const file = await findFile(call, field);
  if ('kind' in file) return file;
  if (partOf(call.activation).files === null) return refuse('v2.file_downloader_unconfigured');
  const misfit = faultOfType(wish, file.content_type);
  if (misfit !== null) return refuse('v2.sign_invalid', { message: misfit.fault });
  call.nextTurn();
  const signer = signerOf(call);
  if (signer === null) return refuse('v2.sign_forbidden');
  const url = signUrl(call, SERVICE, routes.read_signed, signer, { part: field, state: file }, wish);
  return reply(200, url, { 'Cache-Control': 'no-store' });
}

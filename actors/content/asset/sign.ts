/** POST /store/{name}/asset/{id}/sign: a URL of an asset that works without a header (docs/contract/content.md §5.3). */
import type { Call } from '#actors/host/call.ts';
import { signerOf, signUrl, type FileState } from '#actors/host/signed-url/signed-url.ts';
import { faultOfType, wishOf } from '#actors/host/signed-url/wish.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { knownParameters } from '../page.ts';
import { SERVICE, storeOf } from '../part.ts';
import { end } from '../refused.ts';
import { rowAs } from '../rows.ts';
import { routes, type Routes } from '../routes.ts';
import { earlier } from './download.ts';
import { findAsset } from './find.ts';

export async function signAsset(call: Call): Promise<Outcome<Routes['asset_sign']>> {
  knownParameters(call, []);
  const body = objectOf(call);
  const wish = wishOf(body, ['version']);
  if ('fault' in wish) return end('content.bad_body', { message: wish.fault });
  const version = versionOf(body['version']);
  const store = storeOf(call);
  const asset = await findAsset(call, store, 'downloadasset');
  const file = rowAs<FileState & Record<string, unknown>>(
    version === '' ? asset : await earlier(call, store, asset, version),
  );
  const misfit = faultOfType(wish, file.content_type);
  if (misfit !== null) return end('content.invalid', { message: misfit.fault });
  call.nextTurn();
  const signer = signerOf(call);
  if (signer === null) return end('content.sign_forbidden');
  const url = signUrl(call, SERVICE, routes.asset_signed, signer, { part: version, state: file }, wish);
  return reply(200, url, { 'Cache-Control': 'no-store' });
}

function versionOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value < 1e9) return String(value);
  return end('content.bad_body', { message: 'version must be the number of a version' });
}

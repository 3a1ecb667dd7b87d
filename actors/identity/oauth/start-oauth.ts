/** `GET /auth/oauth/{provider}/start`: the URL at which the user signs in. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { authorizationUrl } from './authorize.ts';
import { providerOf } from './provider-of.ts';
import type { Providers } from './providers.ts';
import { returnAddress } from './return-address.ts';
import type { oauthRoutes } from './routes.ts';

export async function startOauth(providers: Providers, call: Call): Promise<Outcome<typeof oauthRoutes.startOauth>> {
  const declared = providerOf(call);
  if (isRefusal(declared)) return declared;
  const address = returnAddress(declared.provider, call.query.getAll('redirect_uri'));
  if (isRefusal(address)) return address;
  const url = await authorizationUrl(providers, call, declared, address);
  return isRefusal(url) ? url : reply(200, { authorization_url: url.href }, { 'Cache-Control': 'no-store' });
}

/** The handler of each route of sign-ins with a provider. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { finishOauth } from './finish-oauth.ts';
import { Providers } from './providers.ts';
import type { oauthRoutes } from './routes.ts';
import { startOauth } from './start-oauth.ts';

export function oauthHandlers(identity: Identity): Handlers<typeof oauthRoutes> {
  const providers = new Providers(identity.outbound, identity.context.clock);
  return {
    startOauth: async (call) => toldLater(identity, call, 'oauth_start', () => startOauth(providers, call)),
    finishOauth: async (call) =>
      toldLater(identity, call, 'oauth_callback', () => finishOauth(identity, providers, call)),
  };
}

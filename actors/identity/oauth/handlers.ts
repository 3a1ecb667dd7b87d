/** The handler of each route of sign-ins with a provider. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { finishOauth } from './finish-oauth.ts';
import { Providers } from './providers.ts';
import { finishLink } from './finish-link.ts';
import type { linkRoutes } from './link-routes.ts';
import { listIdentities } from './list-identities.ts';
import { removeIdentity } from './remove-identity.ts';
import type { oauthRoutes } from './routes.ts';
import { startLink } from './start-link.ts';
import { startOauth } from './start-oauth.ts';

export function oauthHandlers(identity: Identity): Handlers<typeof oauthRoutes & typeof linkRoutes> {
  const providers = new Providers(identity.outbound, identity.context.clock);
  return {
    startOauth: async (call) => toldLater(identity, call, 'oauth_start', () => startOauth(providers, call)),
    finishOauth: async (call) =>
      toldLater(identity, call, 'oauth_callback', () => finishOauth(identity, providers, call)),
    listIdentities: async (call) => toldLater(identity, call, 'provider_list', () => listIdentities(identity, call)),
    startLink: async (call) => toldLater(identity, call, 'provider_start', () => startLink(identity, providers, call)),
    finishLink: async (call) => toldLater(identity, call, 'provider_link', () => finishLink(identity, providers, call)),
    removeIdentity: async (call) => toldLater(identity, call, 'provider_unlink', () => removeIdentity(identity, call)),
  };
}

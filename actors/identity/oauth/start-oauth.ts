/** `GET /auth/oauth/{provider}/start`: the URL at which the user signs in (OpenID Connect Core §3.1.2.1, PKCE S256 of RFC 7636 §4.2). */
import type { Configuration } from 'openid-client';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { newSecret, secretSha256 } from '#actors/kit/secret.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { refuse } from '../refusals.ts';
import { discoveryFailure } from './provider-failure.ts';
import { providerOf } from './provider-of.ts';
import { openId } from './providers.ts';
import type { Providers } from './providers.ts';
import type { oauthRoutes } from './routes.ts';
import { openState } from './states.ts';

export async function startOauth(providers: Providers, call: Call): Promise<Outcome<typeof oauthRoutes.startOauth>> {
  const declared = providerOf(call);
  if (isRefusal(declared)) return declared;
  const { name, provider, hosts } = declared;
  let configuration: Configuration;
  try {
    configuration = await providers.configuration(provider, hosts);
  } catch (error) {
    return discoveryFailure(call.activation, name, error);
  }
  const { buildAuthorizationUrl } = await openId();
  const secret = (): string => newSecret((bytes) => call.activation.context.random(bytes), limits.oauth.secretBytes);
  const nonce = secret();
  const verifier = secret();
  const redirectUri = provider.redirect_uri;
  const wish = { provider: name, nonce, code_verifier: verifier, redirect_uri: redirectUri, user_id: null };
  const state = openState(call, wish);
  if (state === null) return tooMany();
  call.commit();
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: provider.scopes.join(' '),
    state,
    nonce,
    code_challenge: secretSha256(verifier).toString('base64url'),
    code_challenge_method: 'S256',
    // Apple gives address and name only to a form that it posts: the product's server passes code and state on.
    ...(provider.preset === 'apple' ? { response_mode: 'form_post' } : {}),
  });
  return reply(200, { authorization_url: url.href }, { 'Cache-Control': 'no-store' });
}

/** Every slot that was drawn holds a living state: a flood, which is over in ten minutes at the latest. */
function tooMany() {
  return refuse('engine_unavailable', { status: 503, headers: retryAfter(limits.oauth.stateMs / 1000) });
}

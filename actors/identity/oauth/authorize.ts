/** Sends a user to a provider (OpenID Connect Core §3.1.2.1, PKCE S256 of RFC 7636 §4.2): to sign in, or to link an account there. */
import type { Configuration } from 'openid-client';
import { limits } from '#config/limits.ts';
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { newSecret, secretSha256 } from '#actors/kit/secret.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { refuse } from '../refusals.ts';
import { discoveryFailure } from './provider-failure.ts';
import type { Declared } from './provider-of.ts';
import { openId, type Providers } from './providers.ts';
import { openState } from './states.ts';
import type { Linker } from './store.ts';

/** The URL at which the user signs in, and from which the user comes back to `redirectUri` (return-address.ts). The state is committed. */
export async function authorizationUrl(
  providers: Providers,
  call: Call,
  { name, provider, hosts }: Declared,
  redirectUri: string,
  link?: Linker,
): Promise<URL | Refusal<'oauth_unavailable' | 'engine_unavailable'>> {
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
  const wish = { provider: name, nonce, code_verifier: verifier, redirect_uri: redirectUri, user_id: null };
  const state = openState(call, link === undefined ? wish : { ...wish, link });
  if (state === null) return tooMany();
  call.commit();
  return buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: provider.scopes.join(' '),
    state,
    nonce,
    code_challenge: secretSha256(verifier).toString('base64url'),
    code_challenge_method: 'S256',
    ...dialectOf(provider),
  });
}

/** Apple gives address and name only to a form that it posts: the product's server passes code and state on. */
const dialectOf = ({ preset }: OAuthProvider): Record<string, string> =>
  preset === 'apple' ? { response_mode: 'form_post' } : {};

/** Every slot that was drawn holds a living state: a flood, which is over in ten minutes at the latest. */
function tooMany(): Refusal<'engine_unavailable'> {
  return refuse('engine_unavailable', { status: 503, headers: retryAfter(limits.oauth.stateMs / 1000) });
}

/**
 * Exchanges a code for an ID token (OpenID Connect Core §3.1.3), and checks its issuer, audience, time, nonce and signature; or, with plain
 * OAuth 2, for what the provider's API says of the user.
 */
import type { Configuration } from 'openid-client';
import type { OAuthEndpoints, OAuthProvider } from '#config/definitions/product.ts';
import { admitsDirectory } from './entra.ts';
import { personAt, type Person } from './person.ts';
import { claimsOf } from './plain-oauth.ts';
import { openId } from './providers.ts';
import type { LinkKey, StateRecord } from './store.ts';

export interface CodeAnswer {
  readonly code: string;
  readonly state: string;
  /** `iss` of RFC 9207, when the page passes it on. */
  readonly issuer: string | null;
}

export interface Vouched {
  readonly key: LinkKey;
  /** Null when the provider has verified no address. */
  readonly person: Person | null;
}

/**
 * The user that the provider names. Its userinfo endpoint is asked when the ID token has no verified address, its API when there is no ID token.
 * The request carries PKCE's verifier (RFC 7636 §4.5). Throws errors of the OpenID client, with an OutboundFault as the cause where the
 * provider did not answer.
 */
export async function exchangeCode(
  configuration: Configuration,
  provider: OAuthProvider,
  record: StateRecord,
  answer: CodeAnswer,
): Promise<Vouched> {
  return provider.endpoints === undefined
    ? byIdToken(configuration, provider, record, answer)
    : byApi(configuration, provider, provider.endpoints, record, answer);
}

async function byIdToken(
  configuration: Configuration,
  provider: OAuthProvider,
  record: StateRecord,
  answer: CodeAnswer,
): Promise<Vouched> {
  const client = await openId();
  const { issuer, userinfo_endpoint: endpoint } = configuration.serverMetadata();
  const isMicrosoft = provider.preset === 'microsoft';
  const tokens = await client.authorizationCodeGrant(configuration, answeredUrl(record, answer, issuer), {
    expectedState: answer.state,
    expectedNonce: record.nonce,
    pkceCodeVerifier: record.code_verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  if (isMicrosoft && !admitsDirectory(provider, claims)) throw new Error('the directory is not admitted');
  // Each of Microsoft's directories has subjects of its own; the metadata of `common` name none of them.
  const key = { provider: record.provider, issuer: isMicrosoft ? claims.iss : issuer, sub: claims.sub };
  const person = personAt(provider, claims);
  // What Microsoft's endpoint says of an address is never verified.
  if (person !== null || endpoint === undefined || isMicrosoft) return { key, person };
  const said = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { key, person: personAt(provider, said) };
}

async function byApi(
  configuration: Configuration,
  provider: OAuthProvider,
  endpoints: OAuthEndpoints,
  record: StateRecord,
  answer: CodeAnswer,
): Promise<Vouched> {
  const { authorizationCodeGrant } = await openId();
  const { issuer } = configuration.serverMetadata();
  // Without discovery it is not known how the provider writes `iss`; path and state bind it.
  const url = answeredUrl(record, { ...answer, issuer: null }, issuer);
  const { access_token } = await authorizationCodeGrant(configuration, url, {
    expectedState: answer.state,
    pkceCodeVerifier: record.code_verifier,
  });
  const { sub, ...claims } = await claimsOf(configuration, endpoints, access_token);
  return { key: { provider: record.provider, issuer, sub }, person: personAt(provider, claims) };
}

/** The URL to which the provider sent the user, as the library takes it. */
function answeredUrl(record: StateRecord, { code, state, issuer }: CodeAnswer, expectedIssuer: string): URL {
  const url = new URL(record.redirect_uri);
  url.searchParams.set('code', code);
  url.searchParams.set('state', state);
  // A page may pass on `code` and `state` only: each provider has its own callback path and states, so `iss` adds no safety here.
  url.searchParams.set('iss', issuer ?? expectedIssuer);
  return url;
}

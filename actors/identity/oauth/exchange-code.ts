/** The back channel: a code for an ID token (OpenID Connect Core §3.1.3), checked by issuer, audience, time, nonce and signature. */
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import type { LinkKey, StateRecord } from './store.ts';
import { openId } from './providers.ts';

export interface CodeAnswer {
  readonly code: string;
  readonly state: string;
  /** RFC 9207, when the page passes it on. */
  readonly issuer: string | null;
}

export interface Vouched {
  readonly key: LinkKey;
  readonly claims: Claims;
  /** Asks the provider for the claims that the ID token leaves out; the present ones when it has no such endpoint. */
  more(): Promise<Claims>;
}

export type Claims = Readonly<Record<string, unknown>>;

/** Throws what the OpenID client throws, or OutboundFault as its cause. PKCE's verifier goes along (RFC 7636 §4.5). */
export async function exchangeCode(
  configuration: Configuration,
  record: StateRecord,
  answer: CodeAnswer,
): Promise<Vouched> {
  const client = await openId();
  const { issuer } = configuration.serverMetadata();
  const url = new URL(record.redirect_uri);
  url.searchParams.set('code', answer.code);
  url.searchParams.set('state', answer.state);
  // A page that passes on `code` and `state` only loses nothing: each provider has a callback path and states of its own.
  url.searchParams.set('iss', answer.issuer ?? issuer);
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    expectedState: answer.state,
    expectedNonce: record.nonce,
    pkceCodeVerifier: record.code_verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  return {
    key: { provider: record.provider, issuer, sub: claims.sub },
    claims,
    more: () => userInfo(configuration, tokens, claims),
  };
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

async function userInfo(
  configuration: Configuration,
  tokens: Tokens,
  claims: Claims & { readonly sub: string },
): Promise<Claims> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  const client = await openId();
  const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}

/** Exchanges a code for an ID token (OpenID Connect Core §3.1.3), and checks its issuer, audience, time, nonce and signature. */
import type { Configuration } from 'openid-client';
import { personOf } from './person.ts';
import type { Person } from './person.ts';
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
 * The user that the provider names; its userinfo endpoint is asked when the ID token has no verified address. The request carries PKCE's verifier
 * (RFC 7636 §4.5). Throws errors of the OpenID client, with an OutboundFault as the cause where the provider did not answer.
 */
export async function exchangeCode(
  configuration: Configuration,
  record: StateRecord,
  answer: CodeAnswer,
): Promise<Vouched> {
  const client = await openId();
  const { issuer, userinfo_endpoint: endpoint } = configuration.serverMetadata();
  const tokens = await client.authorizationCodeGrant(configuration, answeredUrl(record, answer, issuer), {
    expectedState: answer.state,
    expectedNonce: record.nonce,
    pkceCodeVerifier: record.code_verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  const key = { provider: record.provider, issuer, sub: claims.sub };
  const person = personOf(claims);
  if (person !== null || endpoint === undefined) return { key, person };
  return { key, person: personOf(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
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

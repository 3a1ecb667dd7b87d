/**
 * What sign-in providers answer: metadata, keys, tokens, userinfo, their API (docs/contract/identity-users.md). ID tokens are signed anew, so that their claims
 * are read behind the signature.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import type { Outbound } from '#actors/kit/outbound/outbound.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

const ISSUER = 'https://corp.example';
const NONCE = 'n'.repeat(43);
const ADDRESS = { email: 'ada@example.org', email_verified: true, given_name: 'Ada', family_name: 'L' };
const META = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  jwks_uri: `${ISSUER}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
};
const TOKEN = { access_token: 'a', token_type: 'Bearer', expires_in: 60 };
const ROW: OAuthProvider = {
  issuer: ISSUER,
  client_id: 'atlas',
  client_secret: 'secret-of-atlas',
  scopes: ['openid', 'email'],
  redirect_uri: 'https://app.example.org/callback',
  roles: ['tenant_user'],
  link: 'none',
};
const ENDPOINTS = {
  authorization: `${ISSUER}/authorize`,
  token: `${ISSUER}/token`,
  user: `${ISSUER}/user`,
  emails: `${ISSUER}/emails`,
};
const CODES: readonly string[] = ['oauth_unavailable', 'engine_unavailable', 'oauth_failed'];

/** What a provider answers, by its endpoint; `head` and `claims` become the ID token. */
interface Answers {
  readonly status?: unknown;
  readonly meta?: unknown;
  readonly jwks?: unknown;
  readonly token?: unknown;
  readonly head?: unknown;
  readonly claims?: unknown;
  readonly user?: unknown;
  readonly emails?: unknown;
}

function answersOf(input: Buffer): Answers | null {
  try {
    const value: unknown = JSON.parse(input.toString());
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

export async function providerTarget(): Promise<Target> {
  const { Providers } = await import('#actors/identity/oauth/providers.ts');
  const { askProvider } = await import('#actors/identity/oauth/ask-provider.ts');
  const { systemClock } = await import('#actors/kit/clock.ts');
  const { World } = await import('#test/kit/identity-call.ts');
  const { activation } = new World();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'ES256' };
  const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value ?? null)).toString('base64url');
  const idToken = ({ head, claims }: Answers): string => {
    const body = `${base64url(head)}.${base64url(claims)}`;
    return `${body}.${sign('sha256', Buffer.from(body), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const textOf = (url: URL, answers: Answers): string => {
    if (url.pathname.endsWith('/openid-configuration')) return JSON.stringify(answers.meta);
    if (url.pathname === '/jwks') return JSON.stringify(answers.jwks);
    if (url.pathname === '/user' || url.pathname === '/userinfo') return JSON.stringify(answers.user);
    if (url.pathname === '/emails') return JSON.stringify(answers.emails);
    const { token } = answers;
    return JSON.stringify(
      typeof token === 'object' && token !== null ? { id_token: idToken(answers), ...token } : token,
    );
  };
  /** The world outside; an input that is no JSON is every answer as it is. */
  const outside = (input: Buffer, answers: Answers | null): Outbound => {
    const fetch = (url: URL): Promise<Response> => {
      const { status } = answers ?? {};
      const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
      const headers = { 'content-type': 'application/json' };
      if (isStatus && [204, 205, 304].includes(status)) return Promise.resolve(new Response(null, { status, headers }));
      const text = answers === null ? input : textOf(url, answers);
      return Promise.resolve(
        new Response(typeof text === 'string' ? text : Buffer.from(text), { status: isStatus ? status : 200, headers }),
      );
    };
    return { fetch } as unknown as Outbound;
  };
  const record = {
    state_sha256: Buffer.alloc(32),
    provider: 'corp',
    position: 'acme:atlas:dev:main',
    expires_at: '2999-01-01T00:00:00Z',
    nonce: NONCE,
    code_verifier: 'v'.repeat(43),
    redirect_uri: ROW.redirect_uri,
    user_id: null,
  };
  const ask = async (input: Buffer, changes: Partial<OAuthProvider>): Promise<void> => {
    const answers = answersOf(input);
    const providers = new Providers(outside(input, answers), systemClock);
    const declared = { kind: 'declared', name: 'corp', provider: { ...ROW, ...changes }, hosts: [] } as const;
    const answer = { code: 'c', state: 's', issuer: null };
    const found = await askProvider(providers, { activation } as unknown as Call, declared, record, answer);
    if ('kind' in found) return must(CODES.includes(found.code), `the refusal ${found.code}`);
    must(
      typeof found.key.sub === 'string' && found.key.sub !== '' && found.key.issuer === ISSUER,
      'a user without a name',
    );
    if (found.person !== null) must(found.person.email.includes('@'), `the address ${found.person.email}`);
    if (changes.endpoints !== undefined) return;
    const claims = answers?.claims as Record<string, unknown>;
    const audience = [claims['aud']].flat();
    must(
      claims['iss'] === ISSUER && audience.includes(ROW.client_id) && claims['nonce'] === NONCE,
      'a token for others',
    );
    must(Number(claims['exp']) * 1000 > Date.now() - 60_000, 'a token that is over');
  };
  const claims = { iss: ISSUER, sub: 'ada', aud: 'atlas', iat: 1_700_000_000, exp: 32_503_680_000, nonce: NONCE };
  const sound = { meta: META, jwks: { keys: [jwk] }, token: TOKEN, head: { alg: 'ES256', kid: 'k' } };
  return {
    name: 'provider',
    costs: 6,
    form: 'json',
    covers: ['/actors/identity/oauth/', '/node_modules/openid-client/', '/node_modules/oauth4webapi/'],
    seeds: [
      JSON.stringify({ ...sound, claims: { ...claims, ...ADDRESS } }),
      JSON.stringify({ ...sound, claims, user: { sub: 'ada', ...ADDRESS } }),
      JSON.stringify({
        token: TOKEN,
        user: { id: 7, email: 'ada@example.org', verified: true },
        emails: [{ email: 'ada@example.org', primary: true, verified: true }],
      }),
      JSON.stringify({ ...sound, status: 400, token: { error: 'invalid_grant', error_description: 'x' }, claims }),
      JSON.stringify({ ...sound, token: { error: 'bad_verification_code' }, claims }),
      '<html>502</html>',
    ],
    words: [
      ISSUER,
      NONCE,
      'none',
      'HS256',
      'RS256',
      'ES256',
      'kid',
      'crit',
      'atlas',
      'azp',
      'aud',
      'sub',
      'invalid_grant',
      'https://other.example/jwks',
      'http://corp.example/token',
      'at_hash',
      'verified',
    ],
    bytesMax: 16_384,
    stepsMax: linear(30_000, 100),
    // WebCrypto answers from threads of the process, which a busy machine lets wait.
    waits: true,
    run: async (input) => {
      await ask(input, {});
      await ask(input, { endpoints: ENDPOINTS });
    },
  };
}

/** A real OpenID provider on loopback, and the browser of a person who signs in there. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
// @ts-expect-error -- the package has no types
import { Provider } from 'oidc-provider';

export const REDIRECT_URI = 'https://app.example.org/signed-in';
export const CLIENT = { client_id: 'atlas', client_secret: 'client-secret-of-atlas' };

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly given_name?: string;
  readonly family_name?: string;
}

export interface OpenIdProvider {
  readonly issuer: string;
  /** `127.0.0.1:<port>`, as `outbound.allow_private` takes it. */
  readonly host: string;
  /** The people who have an account there, by subject. */
  readonly accounts: Map<string, Account>;
  /** Paths that were asked for. */
  readonly seen: string[];
  /** When set, answers in the provider's place: true when it did. */
  interfere: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Signs in as `subject` in a fresh browser: the query that the product's page is sent to. */
  signIn(authorizationUrl: string, subject: string): Promise<URLSearchParams>;
  stop(): Promise<void>;
}

export async function startOpenIdProvider(
  claimsInIdToken = true,
  redirectUris: readonly string[] = [REDIRECT_URI],
): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}`;
  const accounts = new Map<string, Account>();
  const provider = new Provider(issuer, settings(accounts, claimsInIdToken, redirectUris));
  const self: OpenIdProvider = {
    issuer,
    host,
    accounts,
    seen: [],
    interfere: null,
    signIn: (url, subject) => signIn(url, subject),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  const answer = provider.callback() as (request: IncomingMessage, response: ServerResponse) => void;
  server.on('request', (request, response) => {
    self.seen.push(request.url!.split('?')[0]!);
    if (self.interfere?.(request, response) === true) return;
    if (request.url!.startsWith('/interaction/')) void logIn(provider, request, response);
    else answer(request, response);
  });
  return self;
}

function settings(accounts: ReadonlyMap<string, Account>, claimsInIdToken: boolean, redirectUris: readonly string[]) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: [
      { ...CLIENT, redirect_uris: [...redirectUris], response_types: ['code'], grant_types: ['authorization_code'] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    conformIdTokenClaims: !claimsInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) }),
    loadExistingGrant: grantEverything,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of this test'] },
    adapter: MemoryAdapter,
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 60, Session: 60, Grant: 60 },
  };
}

/** What the provider keeps, for as long as the test runs. (Its own way to keep it warns on every start.) */
class MemoryAdapter {
  static readonly #kept = new Map<string, Record<string, unknown>>();
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  upsert(id: string, payload: Record<string, unknown>): void {
    MemoryAdapter.#kept.set(this.#key(id), payload);
  }

  find(id: string): Record<string, unknown> | undefined {
    return MemoryAdapter.#kept.get(this.#key(id));
  }

  findByUid(uid: string): Record<string, unknown> | undefined {
    for (const [key, kept] of MemoryAdapter.#kept)
      if (key.startsWith(`${this.#name}:`) && kept['uid'] === uid) return kept;
    return undefined;
  }

  consume(id: string): void {
    const kept = this.find(id);
    if (kept !== undefined) kept['consumed'] = Math.floor(Date.now() / 1000);
  }

  destroy(id: string): void {
    MemoryAdapter.#kept.delete(this.#key(id));
  }

  revokeByGrantId(grantId: string): void {
    for (const [key, kept] of MemoryAdapter.#kept) if (kept['grantId'] === grantId) MemoryAdapter.#kept.delete(key);
  }

  #key(id: string): string {
    return `${this.#name}:${id}`;
  }
}

/** Consent is not what we test: every client has every scope. */
// oxlint-disable-next-line typescript/no-explicit-any -- the package has no types
async function grantEverything(ctx: any) {
  const { provider, client, session } = ctx.oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

/** In a browser: the cookie by which the login page of the provider knows a person. */
export const personCookie = (issuer: string, subject: string) => ({ name: 'who', value: subject, url: issuer });

/** The provider's login page, as if the person in the `who` cookie had typed a name and a password. */
// oxlint-disable-next-line typescript/no-explicit-any -- the package has no types
async function logIn(provider: any, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const who = /(?:^|; )who=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
  const result = who === 'denying' ? { error: 'access_denied' } : { login: { accountId: who } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** Follows redirects as a browser does, keeping cookies, until one leaves the provider. */
async function signIn(authorizationUrl: string, subject: string): Promise<URLSearchParams> {
  const cookies = new Map([['who', subject]]);
  let at = new URL(authorizationUrl);
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split('=') as [string, string];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`the provider stays at ${at.href}: ${response.status} ${await response.text()}`);
    at = new URL(location, at);
    if (at.href.startsWith(REDIRECT_URI)) return at.searchParams;
  }
  throw new Error('the provider redirects for ever');
}

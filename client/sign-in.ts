/** Signing in with a provider of OpenID Connect or OAuth, by way of its page (docs/contract/identity-users.md §2). */
import type { Auth } from './create-client.ts';
import { SkepError } from './errors.ts';
import { queryOf } from './parameters.ts';
import type { TokenStorage } from './tokens.ts';
import type { Sender } from './transport.ts';

export interface SignInOptions {
  /** The page to come back to, one that the product declares; its first one unless set. */
  readonly redirectUri?: string;
  /** Keeps the state between the two pages: `sessionStorage` unless set. */
  readonly storage?: TokenStorage;
  readonly signal?: AbortSignal;
}

const search = (): string => (globalThis as unknown as { location: { search: string } }).location.search;

const nameOf = (provider: string): string => `skep sign-in ${provider}`;

/**
 * Begins a sign-in: gives the page of the provider, to which the caller leads the browser (`location.href = …`). Throws 404 `unknown_provider`, 400
 * `invalid_redirect_uri`.
 */
export async function beginSignIn(
  { transport }: Sender,
  provider: string,
  { redirectUri, storage = sessionStorage, signal }: SignInOptions = {},
): Promise<string> {
  const path = `/auth/oauth/${encodeURIComponent(provider)}/start`;
  const query = queryOf({ redirect_uri: redirectUri });
  const { json } = await transport.send({ method: 'GET', path, query, bare: true, signal });
  const { authorization_url: url } = json as { readonly authorization_url: string };
  storage.setItem(nameOf(provider), new URL(url).searchParams.get('state')!);
  return url;
}

/**
 * Ends a sign-in on the page to which the provider came back: the user is logged in. `answer` is the query of that page, `location.search` unless set. Throws a
 * SkepError `client.foreign_sign_in` where this browser did not begin it: somebody else may have made the link. 401 `oauth_failed`, 409 `login_taken`.
 */
export async function finishSignIn(
  { auth }: { readonly auth: Auth },
  provider: string,
  { answer = search(), storage = sessionStorage, signal }: SignInOptions & { readonly answer?: string } = {},
): Promise<void> {
  const query = new URLSearchParams(answer);
  const begun = storage.getItem(nameOf(provider));
  storage.removeItem(nameOf(provider));
  if (begun === null || query.get('state') !== begun) throw foreign();
  const path = `/auth/oauth/${encodeURIComponent(provider)}/callback`;
  await auth.enter({ method: 'GET', path, query, signal });
}

function foreign(): SkepError {
  const message = 'this browser did not begin this sign-in: begin it anew';
  return new SkepError(0, 'client.foreign_sign_in', { message });
}

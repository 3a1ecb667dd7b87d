/** To which address a user comes back from a provider: one that the product declares, compared as text, never one made of a request (RFC 9700 §4.1.3). Pure. */
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';

/** `wanted`: what the request names; more than one is none. */
export function returnAddress(
  { redirect_uri, redirect_uris = [] }: OAuthProvider,
  wanted: readonly string[],
): string | Refusal<'invalid_redirect_uri'> {
  const [first] = wanted;
  if (first === undefined) return redirect_uri;
  const isDeclared = first === redirect_uri || redirect_uris.includes(first);
  return wanted.length === 1 && isDeclared ? first : refuse('invalid_redirect_uri');
}

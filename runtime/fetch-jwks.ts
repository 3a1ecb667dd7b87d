/** Fetches another issuer's keys once, bounded in time and size. */
import { limits } from '#config/limits.ts';
import { readJwks } from '#actors/kit/token/read-jwks.ts';
import type { PublicKeyRecord } from '#actors/kit/token/ring.ts';

const WELL_KNOWN = '/.well-known/jwks.json';

/** The URL of the keys of `jwks.issuers.iam`: the value itself, or the well-known path under a bare origin. */
export function jwksUrl(issuer: string): URL {
  const url = new URL(issuer);
  if (url.pathname === '/' && url.search === '') url.pathname = WELL_KNOWN;
  return url;
}

/** Fetches and reads a JWKS. Throws when it is late, large, redirected, refused or malformed. */
export async function fetchJwks(url: URL, stopped: AbortSignal): Promise<PublicKeyRecord[]> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(limits.jwks.deadlineMs)]);
  const { target, authorization } = credentialsOf(url);
  const headers = { Accept: 'application/json, application/jwk-set+json', ...authorization };
  // A redirect could lead to any host: only the URL in the platform file is trusted.
  const response = await fetch(target, { headers, redirect: 'error', signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  return readJwks(await textOf(response));
}

/** The URL without its credentials, and these as a header: fetch() refuses a URL that has them. */
function credentialsOf(url: URL): { target: URL; authorization: Record<string, string> } {
  if (url.username === '' && url.password === '') return { target: url, authorization: {} };
  const target = new URL(url);
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  target.username = '';
  target.password = '';
  return { target, authorization: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the body.
    if (bytes > limits.jwks.bodyBytesMax) throw new Error(`is larger than ${limits.jwks.bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Documents of a tenant that are made once for all callers who see the same of it, with their entity tags. */
import { hash } from 'node:crypto';
import { TokenCache } from '#actors/kit/token/cache.ts';
import type { Call } from '#actors/host/call.ts';
import { keptAtPosition } from '#actors/protocol/caching.ts';
import { limits } from '#config/limits.ts';
import type { Models } from '#actors/engine/rows/models.ts';

export interface KeptDocument {
  readonly text: string;
  /** Strong: the same bytes have the same tag (RFC 9110 §8.8.3). */
  readonly tag: string;
}

const BY_CREDENTIAL = keptAtPosition('private, no-cache', 'Authorization');

const kept = new WeakMap<Models, TokenCache<KeptDocument>>();

/** The document under a key, made by the first request for it. It lives as long as the tenant's activation. */
export async function documentOf(models: Models, key: string, make: () => Promise<string>): Promise<KeptDocument> {
  let documents = kept.get(models);
  if (documents === undefined) kept.set(models, (documents = new TokenCache(limits.data.documentsKept)));
  const known = documents.get(key);
  if (known !== undefined) return known;
  const text = await make();
  const document = { text, tag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
  documents.set(key, document);
  return document;
}

/** The tag, and that the answer depends on the credential. */
export function headersOf({ tag }: KeptDocument): Readonly<Record<string, string>> {
  return { ETag: tag, ...BY_CREDENTIAL };
}

/** Whether the caller has the document already: then the answer is 304 (RFC 9110 §13.1.2). The weak comparison of §8.8.3.2. */
export function isKnown(call: Call, { tag }: KeptDocument): boolean {
  const header = call.header('if-none-match');
  if (header === undefined) return false;
  return header.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === tag);
}

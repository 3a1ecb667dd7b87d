/** The API key as a caller writes it: `<key-id>.<secret>` behind the scheme `ApiKey` (docs/contract/identity.md §1.1). */
import { isUlid } from '#config/values/id.ts';

export interface ApiKeyParts {
  readonly id: string;
  readonly secret: string;
}

const SCHEME = 'apikey ';
/** 32 bytes in base64url without padding. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** The key of an `ApiKey` header, possibly malformed; null for another scheme (RFC 9110 §11.1: the scheme's case does not count). */
export function apiKeyOf(authorization: string): string | null {
  const end = SCHEME.length;
  if (authorization.slice(0, end).toLowerCase() === SCHEME) return authorization.slice(end).trim();
  return authorization.length === end - 1 && authorization.toLowerCase() === SCHEME.trimEnd() ? '' : null;
}

/** Id and secret, or null when the shape is not `<ULID>.<43 base64url characters>`. */
export function parseApiKey(key: string): ApiKeyParts | null {
  const dot = key.indexOf('.');
  const id = key.slice(0, Math.max(0, dot));
  const secret = key.slice(dot + 1);
  return isUlid(id) && SECRET.test(secret) ? { id, secret } : null;
}

export function formatApiKey(id: string, secret: string): string {
  return `${id}.${secret}`;
}

/** Reads another issuer's JWKS, and takes only what it can check (RFC 7517 §5; RFC 8037 §2). Pure. */
import { limits } from '#config/limits.ts';
import { paserkPid } from './paserk.ts';
import type { PublicKeyRecord } from './ring.ts';

const RAW_BYTES = 32;

/**
 * The keys of a JWKS document that can verify our tokens, at most 100, in its order: Ed25519, for signatures, named by their
 * own PASERK id. Others are left out (RFC 7517 §5: what is not understood is ignored). Throws when it is no JWKS at all.
 */
export function readJwks(text: string): PublicKeyRecord[] {
  const document: unknown = JSON.parse(text);
  const keys = typeof document === 'object' && document !== null ? (document as { keys?: unknown }).keys : undefined;
  if (!Array.isArray(keys)) throw new Error('is no JWKS: it has no list of keys');
  const found = new Map<string, PublicKeyRecord>();
  for (const jwk of keys as unknown[]) {
    if (found.size === limits.identity.jwksKeysMax) break;
    const record = recordOf(jwk);
    if (record !== null) found.set(record.kid, record);
  }
  return [...found.values()];
}

function recordOf(jwk: unknown): PublicKeyRecord | null {
  if (typeof jwk !== 'object' || jwk === null) return null;
  const { kty, crv, x, kid, use, alg } = jwk as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || typeof kid !== 'string') return null;
  if ((use !== undefined && use !== 'sig') || (alg !== undefined && alg !== 'EdDSA' && alg !== 'Ed25519')) return null;
  const raw = Buffer.from(x, 'base64url');
  if (raw.length !== RAW_BYTES || raw.toString('base64url') !== x) return null;
  return paserkPid(raw) === kid ? { kid, x } : null;
}

/** Full verification of a token against a ring and a clock. Refuses by answering null: a caller learns nothing about why. */
import type { TrustedKeys, VerificationKey } from '../token-ring.ts';
import { instantMs } from '#config/values/instant.ts';
import { splitPublic, verifyPublic } from './paseto.ts';

/** A footer holds a kid; a longer one is not a footer of Skep and would only cost parsing. */
const FOOTER_BYTES_MAX = 512;

export interface VerifiedToken {
  readonly key: VerificationKey;
  readonly claims: Readonly<Record<string, unknown>>;
  /** By this node's clock: `nbf`, less what the issuer's clock may be ahead. */
  readonly startsAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * Version and purpose, footer, known kid, signature, issuer of that very key, then `nbf <= now < exp`. No leeway
 * for tokens of this deployment's own keys; a token of another machine may have started by a clock that is a little ahead.
 * `nbf` may be absent, `exp` may not (PASETO, Implementation Guide, "Claims"; docs/contract/identity.md §3.2).
 */
export function verifyToken(token: string, ring: TrustedKeys, nowMs: number): VerifiedToken | null {
  const parts = splitPublic(token);
  if (parts === null) return null;
  const key = keyOfFooter(parts.footer, ring);
  if (key === undefined || !verifyPublic(key.key, parts)) return null;
  const claims = jsonObject(parts.message);
  if (claims === null || claims['iss'] !== key.issuer) return null;
  const expiresAtMs = instantMs(claims['exp']);
  if (!(nowMs < expiresAtMs)) return null;
  const startsAtMs = claims['nbf'] === undefined ? 0 : instantMs(claims['nbf']) - (key.skewMs ?? 0);
  if (!(startsAtMs <= nowMs)) return null;
  return { key, claims, startsAtMs, expiresAtMs };
}

/** The kid is a hint until the signature, which covers the footer, has been checked with the key it names. */
function keyOfFooter(footer: Buffer, ring: TrustedKeys): VerificationKey | undefined {
  if (footer.length === 0 || footer.length > FOOTER_BYTES_MAX) return undefined;
  const kid = jsonObject(footer)?.['kid'];
  if (typeof kid !== 'string') return undefined;
  const key = ring.verification.get(kid);
  if (key === undefined) ring.unknownKey?.();
  return key;
}

function jsonObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** JWTs signed with ES256 (RFC 7519, RFC 7515 compact form, RFC 7518 §3.4), and the keys that verify them (RFC 7517). */
import { createPublicKey, hash, sign, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';

export interface JwtClaims extends Readonly<Record<string, unknown>> {
  readonly iss?: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  /** Seconds since the epoch. */
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
}

/** A public key as JWKS lists it. */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

export interface JwtKey {
  readonly key: KeyObject;
  readonly open: KeyObject;
  readonly jwk: PublicJwk;
}

/** A P-256 private key with its public half; its name is the thumbprint of RFC 7638. */
export function jwtKeyOf(key: KeyObject): JwtKey {
  const open = createPublicKey(key);
  const { x, y, crv } = open.export({ format: 'jwk' }) as JsonWebKey & { x: string; y: string };
  if (crv !== 'P-256') throw new Error('ES256 needs a P-256 key');
  const kid = hash('sha256', JSON.stringify({ crv, kty: 'EC', x, y }), 'base64url');
  return { key, open, jwk: { kty: 'EC', crv, x, y, kid, alg: 'ES256', use: 'sig' } };
}

/** The token of these claims. */
export function mintJwt({ key, jwk }: JwtKey, claims: JwtClaims): string {
  const head = encode({ alg: 'ES256', typ: 'JWT', kid: jwk.kid });
  const text = `${head}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text, 'latin1'), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** Why a token is not valid. */
export type JwtFlaw = 'malformed' | 'unknown_key' | 'signature' | 'expired' | 'not_yet' | 'audience';

export interface JwtExpectation {
  /** The audience that the token must have; any when absent. */
  readonly audience?: string | undefined;
  readonly nowMs: number;
}

/** The claims of a token that one of the keys signed and that is valid now (leeway 5 s), or its flaw. */
export function verifyJwt(
  keyOf: (kid: string) => KeyObject | undefined,
  token: string,
  { audience, nowMs }: JwtExpectation,
): JwtClaims | JwtFlaw {
  const parts = token.length > limits.pki.jwtBytesMax ? [] : token.split('.');
  if (parts.length !== 3) return 'malformed';
  const [headText, claimsText, signatureText] = parts as [string, string, string];
  const head = decode(headText);
  // One algorithm and no critical headers (RFC 7515 §4.1.11): a token cannot choose how it is verified.
  if (head === null || head['alg'] !== 'ES256' || 'crit' in head || typeof head['kid'] !== 'string') return 'malformed';
  const key = keyOf(head['kid']);
  if (key === undefined) return 'unknown_key';
  if (!isSigned(key, `${headText}.${claimsText}`, signatureText)) return 'signature';
  const claims = decode(claimsText);
  return claims === null || !areClaims(claims) ? 'malformed' : (flawOf(claims, audience, nowMs) ?? claims);
}

/** The key name in a token, unverified; null for a text that is not a token. */
export function kidOf(token: string): string | null {
  const head = token.length > limits.pki.jwtBytesMax ? null : decode(token.split('.', 1)[0]!);
  const kid = head?.['kid'];
  return typeof kid === 'string' ? kid : null;
}

function isSigned(open: KeyObject, text: string, signatureText: string): boolean {
  const signature = Buffer.from(signatureText, 'base64url');
  if (signature.length !== 64 || signature.toString('base64url') !== signatureText) return false;
  return verify('sha256', Buffer.from(text, 'utf8'), { key: open, dsaEncoding: 'ieee-p1363' }, signature);
}

function decode(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function areClaims(claims: Record<string, unknown>): claims is JwtClaims & Record<string, unknown> {
  const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
  const { aud, exp, nbf, sub } = claims;
  const isAudience = typeof aud === 'string' || (Array.isArray(aud) && aud.every((one) => typeof one === 'string'));
  return isAudience && typeof sub === 'string' && isTime(exp) && (nbf === undefined || isTime(nbf));
}

function flawOf({ aud, exp, nbf }: JwtClaims, audience: string | undefined, nowMs: number): JwtFlaw | null {
  const leeway = limits.pki.jwtLeewayMs;
  if (nowMs >= exp * 1000 + leeway) return 'expired';
  if ((nbf ?? 0) * 1000 > nowMs + leeway) return 'not_yet';
  const all = typeof aud === 'string' ? [aud] : aud;
  return audience === undefined || all.includes(audience) ? null : 'audience';
}

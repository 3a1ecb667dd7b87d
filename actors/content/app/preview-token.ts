/**
 * Preview tokens: PASETO v4.public by the `paseto` package, whose key is derived from the app's secret. Their claims name tenant, app,
 * type, document and expiry, and a token is valid for exactly these (docs/contract/content.md §7). While secrets rotate, a second one
 * verifies too.
 */
import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import { PasetoError, PublicProtocol } from 'paseto';
import { PublicKeyFromCryptoKey, SecretKeyFromCryptoKey, SignFactory, VerifyFactory } from 'paseto/v4/public';
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import { keyOfSeed } from '#actors/kit/token/signing-key.ts';

export interface PreviewClaim {
  /** Key of the tenant. */
  readonly tenant: string;
  readonly app: string;
  readonly type: string;
  readonly document: string;
}

const DOMAIN = 'skep.preview.v2';
const ED25519 = { name: 'Ed25519' };
const paseto = new PublicProtocol(SignFactory, VerifyFactory);

/** A token for one document; it is valid until the second of its expiry begins. */
export async function mintPreview(secret: string, claim: PreviewClaim, expiresAtMs: number): Promise<string> {
  const key = await SecretKeyFromCryptoKey(keyOf(secret).toCryptoKey(ED25519, true, ['sign']));
  const { tenant, app, type, document } = claim;
  const exp = timestamp(Math.floor(expiresAtMs / 1000) * 1000);
  return paseto.Sign(key, { tenant, app, type, document, exp }, { addIssuedAt: false });
}

/** Whether a token shows this document now. */
export async function isPreview(
  secrets: readonly string[],
  token: string,
  claim: PreviewClaim,
  nowMs: number,
): Promise<boolean> {
  if (token.length > limits.content.previewTokenCharsMax) return false;
  for (const secret of secrets) {
    const claims = await claimsOf(secret, token, nowMs);
    // The package still accepts a token in the instant of its expiry.
    if (claims !== null) return nowMs < instantMs(claims['exp']) && NAMES.every((name) => claims[name] === claim[name]);
  }
  return false;
}

const NAMES = ['tenant', 'app', 'type', 'document'] as const satisfies readonly (keyof PreviewClaim)[];

/** The claims of a token that this secret signed and that has not expired; null for any other. */
async function claimsOf(
  secret: string,
  token: string,
  nowMs: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  const key = await PublicKeyFromCryptoKey(createPublicKey(keyOf(secret)).toCryptoKey(ED25519, true, ['verify']));
  try {
    return (await paseto.Verify(key, token, { now: new Date(nowMs) })).claims;
  } catch (error) {
    if (error instanceof PasetoError) return null;
    throw error;
  }
}

/** The key of a secret: its seed is HMAC-SHA256 (RFC 2104), which gives as many bytes as a seed has. */
function keyOf(secret: string): KeyObject {
  return keyOfSeed(createHmac('sha256', secret).update(DOMAIN).digest());
}

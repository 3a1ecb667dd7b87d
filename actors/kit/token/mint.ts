/** Mints v4.public tokens whose footer names the signing key. */
import type { TokenRing } from '../token-ring.ts';
import { timestamp } from '../clock.ts';
import { signPublic } from './paseto.ts';
import { OWN_ISSUER } from './ring.ts';

type Signer = Pick<TokenRing, 'signing'>;

export interface ServiceTokenWish {
  readonly keyId: string;
  /** Tenant key of the request. */
  readonly tenant: string;
  readonly scope: readonly string[];
  /** A service name, or null for a token that is not bound to one. */
  readonly audience: string | null;
  readonly lifetimeSeconds: number;
}

/** A service token with the claims of docs/contract/identity.md §3.2, in that order, and no others. Throws when nothing can sign. */
export function mintServiceToken(ring: Signer, nowMs: number, wish: ServiceTokenWish): string {
  const issued = timestamp(nowMs);
  return mintToken(ring, {
    iss: OWN_ISSUER,
    sub: `apikey:${wish.keyId}`,
    type: 'service',
    tenant: wish.tenant,
    scope: wish.scope,
    ...(wish.audience === null ? {} : { aud: wish.audience }),
    iat: issued,
    nbf: issued,
    exp: timestamp(nowMs + wish.lifetimeSeconds * 1000),
  });
}

/** Signs claims with the ring's signing key; footer `{"kid": "k4.pid.…"}`. Throws when the node only verifies. */
export function mintToken(ring: Signer, claims: Readonly<Record<string, unknown>>): string {
  if (ring.signing === null) throw new Error('this node has no signing key');
  const footer = JSON.stringify({ kid: ring.signing.kid });
  return signPublic(ring.signing.key, Buffer.from(JSON.stringify(claims)), Buffer.from(footer));
}

/** `GET /.well-known/jwks.json`: this issuer's public keys, newest first (RFC 7517 §5; RFC 8037 §2). */
import { limits } from '#config/limits.ts';
import { rawPublicKey } from '#actors/kit/token/paserk.ts';
import { OWN_ISSUER } from '#actors/kit/token/ring.ts';
import type { TokenRing } from '#actors/kit/token-ring.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { routes } from './routes.ts';
import type { PublicKey } from './shapes.ts';

/** At most 100 keys; more are left out silently (docs/contract/identity.md §3.3). Keys of other issuers that this node trusts are not published. */
export function jwks(ring: TokenRing): Outcome<typeof routes.jwks> {
  const keys: PublicKey[] = [];
  for (const { kid, issuer, key } of ring.own.values()) {
    if (issuer !== OWN_ISSUER) continue;
    if (keys.length === limits.identity.jwksKeysMax) break;
    const x = rawPublicKey(key).toString('base64url');
    keys.push({ kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' });
  }
  return reply(200, { keys }, { 'Cache-Control': `public, max-age=${limits.identity.jwksMaxAgeSeconds}` });
}

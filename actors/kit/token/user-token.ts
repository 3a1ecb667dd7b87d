/** Access tokens of users (decisions.md "Identity", users). */
import { RESERVED_CLAIMS } from '#config/definitions/product-file.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { durationMs } from '#config/duration.ts';
import { limits } from '#config/limits.ts';
import type { TokenRing } from '../token-ring.ts';
import { timestamp } from '../clock.ts';
import { mintToken } from './mint.ts';
import { OWN_ISSUER } from './ring.ts';

export interface UserTokenWish {
  readonly userId: string;
  /** Tenant key of the request. */
  readonly tenant: string;
  readonly roles: readonly string[];
  /** Null in a stateless tenant, whose tokens nobody can revoke. */
  readonly sid: string | null;
  /** Who impersonates the user; then there must be a `sid`. */
  readonly actor: string | null;
  readonly product: Pick<ProductDefinition, 'settings'>;
}

export interface UserToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/**
 * A user token: `iss sub type tenant roles`, `sid` and `act` where they apply, `iat nbf exp`, and the product's `token.claims`
 * except reserved names; it lives for the product's `token.expiry`, else 15 minutes. Throws when nothing can sign.
 */
export function mintUserToken(ring: Pick<TokenRing, 'signing'>, nowMs: number, wish: UserTokenWish): UserToken {
  if (wish.actor !== null && wish.sid === null) throw new Error('an impersonation needs a session');
  const expiresInSeconds = lifetimeSeconds(wish.product);
  const issued = timestamp(nowMs);
  const token = mintToken(ring, {
    ...claimsOf(wish.product),
    iss: OWN_ISSUER,
    sub: wish.userId,
    type: 'user',
    tenant: wish.tenant,
    roles: wish.roles,
    ...(wish.sid === null ? {} : { sid: wish.sid }),
    ...(wish.actor === null ? {} : { act: { sub: wish.actor } }),
    iat: issued,
    nbf: issued,
    exp: timestamp(nowMs + expiresInSeconds * 1000),
  });
  return { token, expiresInSeconds };
}

/** Whole seconds of `token.expiry`, which holds for user tokens only (identity.md "Limits"). */
function lifetimeSeconds({ settings }: UserTokenWish['product']): number {
  const expiry = settings.token?.expiry;
  return Math.floor((expiry === undefined ? limits.userToken.lifetimeMs : durationMs(expiry)) / 1000);
}

/** The loader refuses reserved names; a definition that came another way loses them here. */
function claimsOf({ settings }: UserTokenWish['product']): object {
  const claims = Object.entries(settings.token?.claims ?? {});
  return Object.fromEntries(claims.filter(([name]) => !RESERVED_CLAIMS.has(name)));
}

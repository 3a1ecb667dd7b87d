/** Access tokens of users (docs/contract/identity-users.md §1.5). */
import { RESERVED_CLAIMS } from '#config/definitions/product-file.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { durationMs } from '#config/values/duration.ts';
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
  /** Null in a stateless tenant, whose tokens cannot be revoked. */
  readonly sid: string | null;
  /** The operator that impersonates the user (RFC 8693 §4.1), and how; then there must be a `sid`. */
  readonly act: { readonly sub: string; readonly mode?: 'readonly' | 'full' } | null;
  readonly product: Pick<ProductDefinition, 'settings'>;
  /** How long it lives, when the product's setting does not apply. */
  readonly lifetimeSeconds?: number;
  /** Claims besides the product's; they take precedence. */
  readonly claims?: Readonly<Record<string, unknown>>;
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
  if (wish.act !== null && wish.sid === null) throw new Error('an impersonation needs a session');
  const expiresInSeconds = wish.lifetimeSeconds ?? lifetimeSeconds(wish.product);
  const issued = timestamp(nowMs);
  const token = mintToken(ring, {
    ...claimsOf(wish),
    iss: OWN_ISSUER,
    sub: wish.userId,
    type: 'user',
    tenant: wish.tenant,
    roles: wish.roles,
    ...(wish.sid === null ? {} : { sid: wish.sid }),
    ...(wish.act === null ? {} : { act: wish.act }),
    iat: issued,
    nbf: issued,
    exp: timestamp(nowMs + expiresInSeconds * 1000),
  });
  return { token, expiresInSeconds };
}

/** Whole seconds of `token.expiry`, which holds for user tokens only (docs/contract/identity-users.md §1.5). */
function lifetimeSeconds({ settings }: UserTokenWish['product']): number {
  const expiry = settings.token?.expiry;
  return expiry === undefined ? limits.identity.userTokenSeconds : Math.floor(durationMs(expiry) / 1000);
}

/** The loader refuses reserved names; a definition that came another way loses them here. */
function claimsOf({ product, claims }: UserTokenWish): object {
  const wished = Object.entries({ ...product.settings.token?.claims, ...claims });
  return Object.fromEntries(wished.filter(([name]) => !RESERVED_CLAIMS.has(name)));
}

/** Bearer credentials for every service: verified once, cached until `exp`, judged at each request's position (DESIGN §4; decisions.md "Data"). */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal, PrincipalType } from '#actors/protocol/principal.ts';
import type { Clock } from './clock.ts';
import { grantCovers, parseGrant } from './grant.ts';
import type { Grant } from './grant.ts';
import type { TokenRing } from './token-ring.ts';
import { TokenCache } from './token/cache.ts';
import { verifyToken } from './token/verify.ts';
import type { VerifiedToken } from './token/verify.ts';

export interface BearerContext {
  readonly clock: Clock;
  readonly ring: TokenRing;
}

interface Bearer {
  readonly token: VerifiedToken;
  readonly principal: Principal;
  readonly grants: readonly Grant[];
  /** The position key that was honoured last: most callers stay at one. */
  honouredAt: string;
}

const SCHEME = 'Bearer ';

/** The token of a `Bearer` header, or null for another scheme (RFC 9110 §11.1: the scheme's case does not count). */
export function bearerToken(authorization: string): string | null {
  if (authorization.startsWith(SCHEME)) return authorization.slice(SCHEME.length).trim();
  if (authorization.slice(0, SCHEME.length).toLowerCase() === 'bearer ')
    return authorization.slice(SCHEME.length).trim();
  return null;
}

/** One per thread: hold on to it, its cache is what makes it cheap. */
export class BearerCheck {
  readonly #context: BearerContext;
  readonly #cache = new TokenCache<Bearer>(limits.identity.tokenCacheEntriesMax);

  /** Clock and ring are read on every check, so a key taken out of the ring stops its tokens at once. */
  constructor(context: BearerContext) {
    this.#context = context;
  }

  /**
   * The principal of an `Authorization` header at a position, or null: no Bearer scheme, an invalid or expired token,
   * a user token of another position, a service token none of whose grants covers the position.
   */
  check(authorization: string, position: Position): Principal | null {
    const bearer = this.#verified(authorization);
    if (bearer === null) return null;
    if (bearer.honouredAt === position.key) return bearer.principal;
    if (!isHonoured(bearer, position)) return null;
    bearer.honouredAt = position.key;
    return bearer.principal;
  }

  /** The principal of a valid token wherever it may count: for identity, which judges a bearer before it misses the position. */
  verify(authorization: string): Principal | null {
    return this.#verified(authorization)?.principal ?? null;
  }

  #verified(authorization: string): Bearer | null {
    const token = bearerToken(authorization);
    if (token === null) return null;
    const now = this.#context.clock.now();
    const id = hash('sha256', token, 'binary');
    const known = this.#cache.get(id);
    if (known !== undefined) {
      if (known.token.expiresAtMs <= now) return null;
      // A ring that was rebuilt has other key objects: the token is then verified afresh.
      if (this.#context.ring.verification.get(known.token.key.kid) === known.token.key) return known;
    }
    const verified = verifyToken(token, this.#context.ring, now);
    const bearer = verified === null ? null : bearerOf(verified);
    if (bearer !== null) this.#cache.set(id, bearer);
    return bearer;
  }
}

function isHonoured(bearer: Bearer, position: Position): boolean {
  if (bearer.principal.type === 'user') return bearer.principal.tenant === position.key;
  for (const grant of bearer.grants) if (grantCovers(grant, position)) return true;
  return false;
}

/** What the claims mean; null when they are no token of ours. `scope` counts on service tokens only (identity.md "Service token claims"). */
function bearerOf(token: VerifiedToken): Bearer | null {
  const { type, sub, tenant } = token.claims;
  if (typeof sub !== 'string' || typeof tenant !== 'string') return null;
  if (type === 'service') {
    const scope = strings(token.claims['scope']);
    return { token, principal: principalOf('service', token, [], scope), grants: grantsOf(scope), honouredAt: '' };
  }
  // No session store exists yet: a token that names a session cannot be checked against it, so it does not count.
  if (type !== 'user' || token.claims['sid'] !== undefined) return null;
  return {
    token,
    principal: principalOf('user', token, strings(token.claims['roles']), []),
    grants: [],
    honouredAt: '',
  };
}

function principalOf(
  type: PrincipalType,
  { claims, expiresAtMs }: VerifiedToken,
  roles: readonly string[],
  scope: readonly string[],
): Principal {
  return Object.freeze({
    type,
    subject: claims['sub'] as string,
    tenant: claims['tenant'] as string,
    roles,
    scope,
    superadmin: roles.includes('superadmin'),
    sid: null,
    actor: type === 'user' ? actorOf(claims['act']) : null,
    readonly: type === 'user' && isReadonly(claims['act']),
    expiresAtMs,
  });
}

/** Who acts for the subject (RFC 8693 §4.1: `act` is an object with a `sub`). */
function actorOf(act: unknown): string | null {
  const sub = typeof act === 'object' && act !== null ? (act as { sub?: unknown }).sub : null;
  return typeof sub === 'string' ? sub : null;
}

/** Whoever acts for another may only look, unless his token says `full`. */
function isReadonly(act: unknown): boolean {
  return act !== undefined && (act as { mode?: unknown } | null)?.mode !== 'full';
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? Object.freeze(value.filter((item) => typeof item === 'string')) : [];
}

/** A grant that does not parse covers nothing. */
function grantsOf(scope: readonly string[]): Grant[] {
  const grants: Grant[] = [];
  for (const text of scope) {
    const grant = parseGrant(text);
    if (grant !== null) grants.push(grant);
  }
  return grants;
}

/** Bearer credentials for every service: verified once, cached until `exp`, authorized at each request's position (docs/contract/common.md §3.3, docs/contract/data.md §3.1). */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal, PrincipalType } from '#actors/protocol/principal.ts';
import type { Clock } from './clock.ts';
import { instantMs } from '#config/values/instant.ts';
import { grantCovers, parseGrant, type Grant } from './grant.ts';
import type { SessionGate } from './session-gate.ts';
import type { TrustedKeys } from './token-ring.ts';
import { TokenCache } from './token/cache.ts';
import { verifyToken, type VerifiedToken } from './token/verify.ts';

export interface BearerContext {
  readonly clock: Clock;
  readonly ring: TrustedKeys;
  /** `jwks.check_audience`: a token that names a service counts there only. */
  readonly checksAudience?: boolean | undefined;
}

interface Bearer {
  readonly token: VerifiedToken;
  readonly principal: Principal;
  readonly grants: readonly Grant[];
  /** By the issuer's clock, plus the time that it may be behind; NaN when the token does not say. */
  readonly issuedAtMs: number;
  /** The position key at which the token was last authorized: most callers stay at one. */
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

/** One per thread, kept as long as the thread: its cache makes checks cheap. */
export class BearerCheck {
  readonly #context: BearerContext;
  /** The service that a token's `aud` must name, where the token has one; null: `aud` is not checked. */
  readonly #audience: string | null;
  readonly #cache = new TokenCache<Bearer>(limits.identity.tokenCacheEntriesMax);
  /** The token that was hashed last: the subscribers of a caller are judged one behind another, each with the same. */
  #lastToken = '';
  #lastId = '';

  /** `service` is the service that checks. Clock and ring are read on every check, so that tokens of a key end with its removal from the ring. */
  constructor(context: BearerContext, service: string) {
    this.#context = context;
    this.#audience = context.checksAudience === true ? service : null;
  }

  /**
   * The principal of an `Authorization` header at a position, or null: no Bearer scheme, an invalid or expired token, a user token of
   * another position or without a live session there, a service token none of whose grants covers the position, a token that was issued
   * before the tenant was made (for an earlier tenant of its key). `sessions` are those of the position's tenant; they are asked on every
   * request.
   */
  check(authorization: string, position: Position, sessions: SessionGate): Principal | null {
    const now = this.#context.clock.now();
    const bearer = this.#verified(authorization, now);
    if (bearer === null) return null;
    if (bearer.honouredAt !== position.key) {
      if (!isHonoured(bearer, position)) return null;
      bearer.honouredAt = position.key;
    }
    const { principal } = bearer;
    if (sessions.since > 0 && !(bearer.issuedAtMs >= sessions.since) && !isWider(bearer, position)) return null;
    if (principal.type === 'service') return principal;
    return hasSession(principal, sessions, now) ? principal : null;
  }

  /**
   * The principal of a valid token at any position: for identity, which checks a bearer before it refuses a missing position.
   * The session is not checked, because sessions belong to a position. So this answer alone must never admit a request.
   */
  verify(authorization: string): Principal | null {
    return this.#verified(authorization, this.#context.clock.now())?.principal ?? null;
  }

  /** Evaluated once for each token: a cached token has passed it. */
  #isFor(aud: unknown): boolean {
    if (this.#audience === null || aud === undefined) return true;
    return Array.isArray(aud) ? aud.includes(this.#audience) : aud === this.#audience;
  }

  /** Under its hash a token is found in the cache, which holds no token itself. */
  #idOf(token: string): string {
    if (token !== this.#lastToken) {
      this.#lastId = hash('sha256', token, 'binary');
      this.#lastToken = token;
    }
    return this.#lastId;
  }

  #verified(authorization: string, now: number): Bearer | null {
    const token = bearerToken(authorization);
    if (token === null) return null;
    const id = this.#idOf(token);
    const known = this.#cache.get(id);
    if (known !== undefined) {
      const { startsAtMs, expiresAtMs } = known.token;
      // It has not begun where the clock was set back since it was verified.
      if (expiresAtMs <= now || now < startsAtMs) return null;
      // A rebuilt ring has other key objects: the token is then verified again.
      if (this.#context.ring.verification.get(known.token.key.kid) === known.token.key) return known;
    }
    const verified = verifyToken(token, this.#context.ring, now);
    const bearer = verified === null || !this.#isFor(verified.claims['aud']) ? null : bearerOf(verified);
    if (bearer !== null) this.#cache.set(id, bearer);
    return bearer;
  }
}

/**
 * A wildcard grant of a token from another tenant also covers tenants that are made later: a token with `*:*:*:*` stays valid when tenants are added.
 * Evaluated only for a token that is older than the tenant.
 */
function isWider({ principal, grants }: Bearer, position: Position): boolean {
  if (principal.tenant === position.key) return false;
  return grants.some((grant) => grant.tenant === '*' && grantCovers(grant, position));
}

function isHonoured(bearer: Bearer, position: Position): boolean {
  if (bearer.principal.type === 'user') return bearer.principal.tenant === position.key;
  for (const grant of bearer.grants) if (grantCovers(grant, position)) return true;
  return false;
}

/** A tenant with sessions requires one of users; a token that names a session needs it in every tenant. */
function hasSession({ sid, subject }: Principal, sessions: SessionGate, nowMs: number): boolean {
  return sid === null ? !sessions.managed : sessions.lives(sid, subject, nowMs);
}

/** The bearer that the claims describe; null when they are not a token of Skep. `scope` counts on service tokens only (docs/contract/identity.md §3.2). */
function bearerOf(token: VerifiedToken): Bearer | null {
  const { type, sub, tenant, sid } = token.claims;
  if (typeof sub !== 'string' || typeof tenant !== 'string') return null;
  if (type === 'service') {
    if (sid !== undefined) return null; // only users have sessions: Skep mints no such token
    const scope = strings(token.claims['scope']);
    const principal = principalOf('service', token, [], scope);
    return { token, principal, grants: grantsOf(scope), issuedAtMs: principal.issuedAtMs!, honouredAt: '' };
  }
  if (type !== 'user' || (sid !== undefined && typeof sid !== 'string')) return null;
  // An impersonation is always a session (docs/contract/identity-users.md §7.2): one that could not be revoked does not count.
  if (token.claims['act'] !== undefined && sid === undefined) return null;
  const principal = principalOf('user', token, strings(token.claims['roles']), []);
  return { token, principal, grants: [], issuedAtMs: principal.issuedAtMs!, honouredAt: '' };
}

function principalOf(
  type: PrincipalType,
  { claims, expiresAtMs, key }: VerifiedToken,
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
    sid: type === 'user' ? ((claims['sid'] as string | undefined) ?? null) : null,
    actor: type === 'user' ? actorOf(claims['act']) : null,
    readonly: type === 'user' && isReadonly(claims['act']),
    issuedAtMs: instantMs(claims['iat'] ?? claims['nbf']) + (key.skewMs ?? 0),
    expiresAtMs,
  });
}

/** The actor that acts for the subject (RFC 8693 §4.1: `act` is an object with a `sub`). */
function actorOf(act: unknown): string | null {
  const sub = typeof act === 'object' && act !== null ? (act as { sub?: unknown }).sub : null;
  return typeof sub === 'string' ? sub : null;
}

/** An impersonator may only read, unless the token says `full`. */
function isReadonly(act: unknown): boolean {
  if (act === undefined) return false;
  return typeof act !== 'object' || act === null || !('mode' in act) || act.mode !== 'full';
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

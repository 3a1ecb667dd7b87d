/** The only place where a user's tokens are made. Spec: docs/contract/identity-users.md §1.5. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import type { Activation } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { derivedSecret, newSecret, secretSha256 } from '#actors/kit/secret.ts';
import { mintUserToken, type UserToken } from '#actors/kit/token/user-token.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { formatRefreshToken } from './refresh-token.ts';
import type { TokenBody } from './shapes.ts';
import { putFamily, putRefreshToken, type RefreshFamilyRecord } from './store.ts';
import { sweepFamilies } from './sweep-families.ts';

export interface TokenExtra {
  /** The session of the tokens, in managed tenants and for impersonations, by its id at the opening. */
  readonly sid: string | null;
  /** The party that acts for the user (RFC 8693 §4.1). */
  readonly actor?: string;
  /** Roles of the tokens; when absent the user's own at each refresh. */
  readonly roles?: readonly string[];
  /** Claims besides the product's. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * Stages a new family with its first refresh token in the work's turn and mints the access token. The handler must answer with
 * `Cache-Control: no-store`. Refusal: `mint_failed`.
 */
export function issueTokens(
  identity: Identity,
  work: Work,
  user: UserRecord,
  extra: TokenExtra,
): TokenBody | Refusal<'mint_failed'> {
  const { context } = work.activation;
  const now = context.clock.now();
  sweepFamilies(identity, work, user.id, now);
  const family: RefreshFamilyRecord = {
    id: context.ids.next(),
    user: user.id,
    latest: 0,
    sid: extra.sid,
    actor: extra.actor ?? null,
    roles: extra.roles ?? null,
    claims: extra.claims ?? {},
    created_at: timestamp(now),
    expires_at: '',
    ended_at: null,
  };
  return nextTokens(work, user, family);
}

/**
 * Stages the next refresh token of a family and mints an access token for the session's present id. The previous token stays as a tombstone, by
 * which a reuse is found.
 */
export function nextTokens(
  work: Work,
  user: UserRecord,
  family: RefreshFamilyRecord,
  sid: string | null = family.sid,
  parent: Parent | null = null,
): TokenBody | Refusal<'mint_failed'> {
  return bodyOf(work.activation, user, family, sid, () => stageRefreshToken(work, family, parent));
}

/** The tokens of a refresh that was answered before, for a caller that repeats it with the previous token: the same successor. */
export function sameTokens(
  work: Work,
  user: UserRecord,
  family: RefreshFamilyRecord,
  sid: string | null,
  parent: string,
): TokenBody | Refusal<'mint_failed'> {
  const { id, latest: no, grace } = family;
  return bodyOf(work.activation, user, family, sid, () =>
    formatRefreshToken({ family: id, no, secret: derivedSecret(parent, grace!.nonce) }),
  );
}

function bodyOf(
  activation: Activation,
  user: UserRecord,
  family: RefreshFamilyRecord,
  sid: string | null,
  refreshToken: () => string,
): TokenBody | Refusal<'mint_failed'> {
  const access = mint(activation, user, family, sid);
  if (access === null) return refuse('mint_failed');
  return {
    access_token: access.token,
    token_type: 'Bearer',
    expires_in: access.expiresInSeconds,
    refresh_token: refreshToken(),
    ...(sid === null ? {} : { session_id: sid }),
  };
}

/** When a refresh token that the family gets now expires. */
export function refreshUntilMs(family: RefreshFamilyRecord, nowMs: number): number {
  const end = Date.parse(family.created_at) + limits.identity.refreshFamilyMs;
  return Math.min(end, nowMs + limits.identity.refreshTokenMs);
}

/** The token that a new one replaces, and for how long it still gives the same successor. */
export interface Parent {
  readonly secret: string;
  readonly graceMs: number;
}

/** A successor is derived from its parent's secret and a nonce of the family: so it can be given again, but only to a holder of the parent. */
function stageRefreshToken(work: Work, before: RefreshFamilyRecord, parent: Parent | null): string {
  const { context } = work.activation;
  const random = (bytes: number): Buffer => context.random(bytes);
  const now = context.clock.now();
  const nonce = random(limits.identity.secretBytes);
  const secret = parent === null ? newSecret(random, limits.identity.secretBytes) : derivedSecret(parent.secret, nonce);
  const expires_at = timestamp(refreshUntilMs(before, now));
  const { grace: _past, ...lasting } = before;
  const grace = parent === null ? {} : { grace: { nonce, until: timestamp(now + parent.graceMs) } };
  const family = { ...lasting, ...grace, latest: before.latest + 1, expires_at };
  putFamily(work.turn(), family);
  const { id, latest: no } = family;
  putRefreshToken(work.turn(), id, { no, user: family.user, secret_sha256: secretSha256(secret) });
  return formatRefreshToken({ family: id, no, secret });
}

/** Null when no key can sign. */
function mint(
  activation: Activation,
  user: UserRecord,
  family: RefreshFamilyRecord,
  sid: string | null,
): UserToken | null {
  const { context, position, product } = activation;
  const act = family.actor === null ? null : { sub: family.actor };
  const { claims } = family;
  const roles = family.roles ?? user.roles;
  const wish = { userId: user.id, tenant: position.key, roles, sid, act, product, claims };
  try {
    return mintUserToken(context.ring, context.clock.now(), wish);
  } catch (error) {
    context.log.error(
      { service: 'identity', error: String(error) },
      'no token could be signed: see skep key ring list',
    );
    return null;
  }
}

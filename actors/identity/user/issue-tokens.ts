/** The one place where a user's tokens are made. Spec: docs/contract/identity-users.md §1.5. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import type { Activation } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { derivedSecret, newSecret, secretSha256 } from '#actors/kit/secret.ts';
import { mintUserToken } from '#actors/kit/token/user-token.ts';
import type { UserToken } from '#actors/kit/token/user-token.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { formatRefreshToken } from './refresh-token.ts';
import type { TokenBody } from './shapes.ts';
import { putFamily, putRefreshToken } from './store.ts';
import type { RefreshFamilyRecord } from './store.ts';
import { sweepFamilies } from './sweep-families.ts';

export interface TokenExtra {
  /** The session that the tokens belong to, in managed tenants and for impersonations: the id that it was opened with. */
  readonly sid: string | null;
  /** Who acts for the user (RFC 8693 §4.1). */
  readonly actor?: string;
  /** Roles of the tokens; the user's own, as they stand at each refresh, when absent. */
  readonly roles?: readonly string[];
  /** Claims beside the product's. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * Stages a new family with its first refresh token in the work's turn and mints the access token. The answer's headers are the
 * caller's: `Cache-Control: no-store`. Refusal: `mint_failed`.
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
 * Stages the next refresh token of a family and mints an access token for the session's present id. The token before it stays
 * as a tombstone.
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

/** The tokens of a refresh that was answered already, for the caller who shows the token of before once more: the same successor. */
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

/** When the refresh token expires that the family gets now. */
export function refreshUntilMs(family: RefreshFamilyRecord, nowMs: number): number {
  const end = Date.parse(family.created_at) + limits.identity.refreshFamilyMs;
  return Math.min(end, nowMs + limits.identity.refreshTokenMs);
}

/** The token that a new one follows, and how long it may still ask for the same one. */
export interface Parent {
  readonly secret: string;
  readonly graceMs: number;
}

/** A successor is made of its parent's secret and a nonce of the family: so it can be given again, and only to who holds the parent. */
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

/** Null when nothing can sign. */
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
    context.log.error({ service: 'identity', error: String(error) }, 'token not minted');
    return null;
  }
}

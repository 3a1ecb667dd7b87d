/** The one place where a user's tokens are made. Spec: decisions.md "Identity" (users). */
import { durationMs } from '#config/duration.ts';
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import type { Activation } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { newSecret, secretSha256 } from '#actors/kit/secret.ts';
import { mintToken } from '#actors/kit/token/mint.ts';
import { OWN_ISSUER } from '#actors/kit/token/ring.ts';
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
  /** The session that the tokens belong to, in managed tenants and for impersonations. */
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
  _identity: Identity,
  work: Work,
  user: UserRecord,
  extra: TokenExtra,
): TokenBody | Refusal<'mint_failed'> {
  const { context } = work.activation;
  const now = context.clock.now();
  sweepFamilies(work.turn(), user.id, now);
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

/** Stages the next refresh token of a family and mints an access token. The token before it stays as a tombstone. */
export function nextTokens(
  work: Work,
  user: UserRecord,
  family: RefreshFamilyRecord,
): TokenBody | Refusal<'mint_failed'> {
  const { activation } = work;
  const expiresIn = lifetimeSeconds(activation);
  const accessToken = mint(activation, user, family, expiresIn);
  if (accessToken === null) return refuse('mint_failed');
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: stageRefreshToken(work, family),
    ...(family.sid === null ? {} : { session_id: family.sid }),
  };
}

function stageRefreshToken(work: Work, before: RefreshFamilyRecord): string {
  const { clock, random } = work.activation.context;
  const secret = newSecret((bytes) => random(bytes), limits.identity.secretBytes);
  const end = Date.parse(before.created_at) + limits.identity.refreshFamilyMs;
  const expires_at = timestamp(Math.min(end, clock.now() + limits.identity.refreshTokenMs));
  const family = { ...before, latest: before.latest + 1, expires_at };
  putFamily(work.turn(), family);
  const { id, latest: no } = family;
  putRefreshToken(work.turn(), id, { no, user: family.user, secret_sha256: secretSha256(secret) });
  return formatRefreshToken({ family: id, no, secret });
}

/** The product's `token.expiry`, else the contract's 15 minutes. */
function lifetimeSeconds({ product }: Activation): number {
  const expiry = product.settings.token?.expiry;
  return expiry === undefined ? limits.identity.userTokenSeconds : Math.floor(durationMs(expiry) / 1000);
}

/** The platform's own claims come last: nobody's claims can stand in their place. Null when nothing can sign. */
function mint(activation: Activation, user: UserRecord, family: RefreshFamilyRecord, seconds: number): string | null {
  const { context, position, product } = activation;
  const now = context.clock.now();
  const claims = {
    ...product.settings.token?.claims,
    ...family.claims,
    iss: OWN_ISSUER,
    sub: user.id,
    type: 'user',
    tenant: position.key,
    roles: family.roles ?? user.roles,
    iat: timestamp(now),
    nbf: timestamp(now),
    exp: timestamp(now + seconds * 1000),
    ...(family.sid === null ? {} : { sid: family.sid }),
    ...(family.actor === null ? {} : { act: { sub: family.actor } }),
  };
  try {
    return mintToken(context.ring, claims);
  } catch (error) {
    context.log.error({ service: 'identity', error: String(error) }, 'token not minted');
    return null;
  }
}

/** `POST /auth/refresh`: rotation with reuse detection (RFC 9700 §4.14.2). */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { noteGuest } from '../guest/keep-guest.ts';
import type { Identity } from '../identity.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody, type Read } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import { renewSession } from '../session/follow-session.ts';
import { sessionsManaged } from '../session/open-session.ts';
import { findUser } from '../store.ts';
import { endFamily } from './end-login.ts';
import { cookieToken, giveTokens, wantsCookies } from './give-tokens.ts';
import { nextTokens, refreshUntilMs, sameTokens } from './issue-tokens.ts';
import { parseRefreshToken } from './refresh-token.ts';
import type { userRoutes } from './routes.ts';
import { refreshRequest } from './shapes.ts';
import { findFamily, refreshTokenOrDecoy, type Reader, type RefreshFamilyRecord } from './store.ts';

type Result = Outcome<typeof userRoutes.refresh>;

/** The family of a shown token, and the token's number in it. */
export interface ShownToken {
  readonly family: RefreshFamilyRecord;
  readonly no: number;
  readonly secret: string;
}

export function refresh(identity: Identity, call: Call): Result {
  const text = shownText(call);
  if (!text.ok) return text.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const shown = showToken(call.turn(), text.value);
  if (shown === null) return challenge('invalid_refresh_token');
  const { user, sid } = shown.family;
  call.involve({ actor: user, target: user, ...(sid === null ? {} : { session: sid }) });
  const now = identity.context.clock.now();
  if (shown.no === shown.family.latest || isInGrace(shown, now)) return rotate(identity, call, shown, now);
  return revokeReused(identity, call, shown.family);
}

function shownText(call: Call): Read<string> {
  if (wantsCookies(call)) return { ok: true, value: cookieToken(call) };
  const body = readBody(call, refreshRequest);
  return body.ok ? { ok: true, value: body.value.refresh_token } : body;
}

/**
 * Two tabs of a browser may refresh at once with one token: the later one gets the same answer, for a moment and while the successor is unused. An
 * older token counts as reused (RFC 9700 §4.14.2).
 */
function isInGrace({ family, no }: ShownToken, nowMs: number): boolean {
  return no === family.latest - 1 && family.grace !== undefined && timestamp(nowMs) < family.grace.until;
}

/** Null for a malformed, unknown or wrong token. Every token costs one point read, one SHA-256 and one constant-time comparison. */
export function showToken(reader: Reader, text: string): ShownToken | null {
  const parts = parseRefreshToken(text);
  const token = refreshTokenOrDecoy(reader, parts?.family ?? '', parts?.no ?? 0);
  const matches = sameDigest(secretSha256(parts?.secret ?? text), token.secret_sha256);
  if (parts === null || !matches) return null;
  const family = findFamily(reader, token.user, parts.family);
  return family === undefined ? null : { family, no: parts.no, secret: parts.secret };
}

/** A used token came again, from its owner or from a thief: that cannot be known, so the whole login ends, durably. */
function revokeReused(identity: Identity, call: Call, family: RefreshFamilyRecord): Result {
  endFamily(identity, call, family, 'refresh_reused');
  call.commit();
  return challenge('refresh_reused');
}

function rotate(identity: Identity, call: Call, { family, no, secret }: ShownToken, nowMs: number): Result {
  const user = findUser(call.turn(), family.user);
  const over = family.ended_at !== null || timestamp(nowMs) >= family.expires_at;
  if (over || user === undefined || user.disabled_at !== undefined) return challenge('invalid_refresh_token');
  const sid = family.sid === null ? null : renewSession(call, family.sid, refreshUntilMs(family, nowMs));
  // The session has ended, or the product now requires sessions and would refuse an access token without one.
  if (sid === null && (family.sid !== null || sessionsManaged(call))) return challenge('invalid_refresh_token');
  noteGuest(call, user);
  const { refreshGraceMs: graceMs } = identity;
  const tokens =
    no === family.latest
      ? nextTokens(call, user, family, sid, { secret, graceMs })
      : sameTokens(call, user, family, sid, secret);
  if (isRefusal(tokens)) return tokens;
  const given = giveTokens(call, tokens);
  if (!isRefusal(given)) call.commit();
  return given;
}

/**
 * `POST /auth/introspect` (RFC 7662). `active` means that this position takes the token now. Everything else is `{active: false}`: malformed, expired,
 * of another position, of a session that has ended, of a user that is gone or disabled, used before; an API key is no token. Looking a token up changes nothing, so
 * a used refresh token that is shown here ends no login.
 */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { OWN_ISSUER } from '#actors/kit/token/ring.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { principalOf, type Identity } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { refuse } from '../refusals.ts';
import { presentSid } from '../session/follow-session.ts';
import { sessionsManaged } from '../session/open-session.ts';
import { findUser } from '../store.ts';
import type { ShownToken } from '../user/refresh.ts';
import { readToken } from './read-token.ts';
import type { tokenRoutes } from './routes.ts';
import type { Introspection } from './shapes.ts';
import { shownAt } from './shown.ts';

type Result = Outcome<typeof tokenRoutes.introspect>;

export function introspect(identity: Identity, call: Call): Result {
  const body = readToken(call);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call);
  if (nowhere !== null) return nowhere;
  if (!admits(call.route.row.callers, principalOf(call), call.activation.position)) return refuse('introspect_denied');
  const { principal, refresh } = shownAt(identity, call, body.value.token);
  const found = (principal && ofAccess(call, principal)) ?? (refresh && ofRefresh(identity, call, refresh));
  return reply(200, found ?? { active: false }, { 'Cache-Control': 'no-store' });
}

function ofAccess(call: Call, principal: Principal): Introspection | null {
  const { type, subject, tenant, scope, roles, sid, actor, issuedAtMs, expiresAtMs } = principal;
  if (type === 'user' && !isThere(call, subject)) return null;
  return {
    active: true,
    token_type: 'Bearer',
    iss: OWN_ISSUER,
    sub: subject,
    type: type === 'user' ? 'user' : 'service',
    tenant,
    ...(type === 'user' ? { roles: [...roles] } : { scope: scope.join(' ') }),
    ...(sid === null ? {} : { sid }),
    ...(actor === null ? {} : { act: { sub: actor } }),
    ...(Number.isFinite(issuedAtMs) ? { iat: seconds(issuedAtMs!) } : {}),
    exp: seconds(expiresAtMs),
  };
}

/** By the rules of the refresh itself (refresh.ts): the newest token of a login that lives, with its session where the product has them. */
function ofRefresh(identity: Identity, call: Call, { family, no }: ShownToken): Introspection | null {
  const now = timestamp(identity.context.clock.now());
  if (no !== family.latest || family.ended_at !== null || now >= family.expires_at) return null;
  const sid = family.sid === null ? null : presentSid(call, family.sid);
  if (sid === null && (family.sid !== null || sessionsManaged(call))) return null;
  const user = findUser(call.turn(), family.user);
  if (user === undefined || user.disabled_at !== undefined) return null;
  return {
    active: true,
    token_type: 'refresh_token',
    iss: OWN_ISSUER,
    sub: user.id,
    type: 'user',
    tenant: call.activation.position.key,
    roles: [...(family.roles ?? user.roles)],
    ...(sid === null ? {} : { sid }),
    ...(family.actor === null ? {} : { act: { sub: family.actor } }),
    iat: seconds(Date.parse(family.created_at)),
    exp: seconds(Date.parse(family.expires_at)),
  };
}

/** A disabled user's token may live on for minutes where the product has no sessions: here it counts no more. */
function isThere(call: Call, id: string): boolean {
  const user = findUser(call.turn(), id);
  return user !== undefined && user.disabled_at === undefined;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

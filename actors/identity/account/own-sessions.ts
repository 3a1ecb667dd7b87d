/** `GET /auth/me/sessions` and `DELETE /auth/me/sessions/{id}`: the user's logins, and the impersonations of the user. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { presentSid } from '../session/follow-session.ts';
import { findOwn } from '../session/find-own.ts';
import { endSession } from '../session/end-session.ts';
import { recordsOf } from '../session/list-sessions.ts';
import type { SessionRecord } from '../session/store.ts';
import { endFamily } from '../user/end-login.ts';
import { findFamily, readFamilies, type RefreshFamilyRecord } from '../user/store.ts';
import type { meRoutes } from './me-routes.ts';
import { ownAccount } from './own-account.ts';
import type { OwnSession } from './shapes.ts';

const REASON = 'revoked';

/** Newest first. A stateless tenant has no sessions of users: there a login is a family of refresh tokens, shown while it can be refreshed. */
export function listOwnSessions(call: Call): Outcome<typeof meRoutes.listOwnSessions> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const { user, principal } = own;
  const sessions = [
    ...recordsOf(call, user.id).map((record) => shownSession(record, principal.sid)),
    ...readFamilies(call.turn(), user.id).flatMap((family) => shownFamily(call, family)),
  ];
  const age = ({ created_at, id }: OwnSession): string => created_at + id;
  const newest = sessions.toSorted((a, b) => (age(a) < age(b) ? 1 : -1)).slice(0, limits.session.listMax);
  return reply(200, { sessions: newest }, { 'Cache-Control': 'no-store' });
}

function shownSession(record: SessionRecord, sid: string | null): OwnSession {
  const { id, kind, created_at, last_seen_at, expires_at, ip, user_agent, revoked_at, actor, purpose } = record;
  const shown = { id, kind, created_at, last_seen_at, expires_at, ip, user_agent, ended_at: revoked_at };
  const current = id === sid;
  if (actor === null) return { ...shown, current };
  const impersonation = { operator: actor, reason: purpose?.reason ?? null, mode: purpose?.mode ?? null };
  return { ...shown, current, impersonation };
}

function shownFamily(work: Work, family: RefreshFamilyRecord): OwnSession[] {
  const { id, created_at, expires_at, sid, ended_at } = family;
  if (sid !== null || ended_at !== null || Date.parse(expires_at) <= work.now) return [];
  const unknown = { last_seen_at: null, ip: null, user_agent: null, ended_at: null, current: false } as const;
  return [{ id, kind: 'login', created_at, expires_at, ...unknown }];
}

/** Ends the session with its refresh tokens; of a stateless tenant the refresh tokens alone: its access token counts until it expires. */
export function endOwnSession(identity: Identity, call: Call): Outcome<typeof meRoutes.endOwnSession> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const { user, principal } = own;
  const id = call.param('id');
  const family = findFamily(call.turn(), user.id, id);
  if (family !== undefined && family.sid === null && family.ended_at === null) {
    endFamily(identity, call, family, REASON);
    return reply(200, { ok: true });
  }
  const session = findOwn(call, principal, id);
  if (isRefusal(session)) return session;
  // An administrator may end every session of the tenant elsewhere; here it is the own account.
  if (session.principal !== user.id) return refuse('session_not_found');
  for (const one of readFamilies(call.turn(), user.id))
    if (one.sid !== null && presentSid(call, one.sid) === id) endFamily(identity, call, one, REASON);
  if (presentSid(call, session.origin) !== null) endSession(identity, call, session, REASON);
  return reply(200, { ok: true });
}

/** Opens a session at login and at impersonation. Spec: docs/contract/identity-users.md §4.1. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Identity } from '../identity.ts';
import { busy, refuse } from '../refusals.ts';
import { endSession } from './end-session.ts';
import { putSession, type Purpose, type SessionKind, type SessionRecord } from './store.ts';
import { sessionsOf, type TenantSessions } from './tenant-sessions.ts';

export interface SessionWish {
  /** User id; in an impersonation the impersonated user. */
  readonly principal: string;
  readonly kind: SessionKind;
  readonly ip: string | null | undefined;
  readonly userAgent: string | null | undefined;
  /** The operator of an impersonation. */
  readonly actor?: string | null;
  readonly purpose?: Purpose;
  readonly lifetimeMs: number;
}

/**
 * Stages a session in the call's turn and gives its id, for the token's `sid`. At the product's limit the call is refused, or the oldest sessions
 * end with the reason `concurrent_evict`, as the product says. If the turn is dropped, all of this is undone. Impersonations neither count nor are
 * evicted: an operator must not log the user out by looking.
 */
export function openSession(
  identity: Identity,
  call: Work,
  wish: SessionWish,
): { readonly sid: string } | Refusal<'session_limit' | 'engine_unavailable'> {
  const sessions = sessionsOf(call.activation);
  if (sessions.registry.size >= limits.session.perTenantMax) return busy();
  if (wish.kind === 'user' && !makeRoom(identity, call, sessions, wish.principal)) return refuse('session_limit');
  const record = recordOf(call, wish);
  putSession(call.turn(), record);
  enter(identity, call, sessions, record);
  return { sid: record.id };
}

/** Whether a login here opens a session (`sessions.mode: managed`); an impersonation always does. */
export function sessionsManaged(call: Work): boolean {
  return sessionsOf(call.activation).managed;
}

/**
 * Opens the session of a login where the product has sessions (`sessions.mode: managed`), else gives null. It lives as long as the login's refresh
 * token, and every refresh renews it. The call's route must list the headers `:ip` and `user-agent`.
 */
export function openLogin(
  identity: Identity,
  call: Call,
  userId: string,
): { readonly sid: string | null } | Refusal<'session_limit' | 'engine_unavailable'> {
  if (!sessionsManaged(call)) return { sid: null };
  return openSession(identity, call, {
    principal: userId,
    kind: 'user',
    ip: call.header(CALLER_IP),
    userAgent: call.header('user-agent'),
    lifetimeMs: limits.identity.refreshTokenMs,
  });
}

/** Whether one more session is allowed; under `evict_oldest` the oldest end, several of them when the limit was lowered. */
function makeRoom(identity: Identity, call: Work, sessions: TenantSessions, principal: string): boolean {
  const now = call.activation.context.clock.now();
  const living = sessions.registry.livingOf(principal, now).filter(({ kind }) => kind === 'user');
  const surplus = living.length + 1 - sessions.max;
  if (surplus <= 0) return true;
  if (sessions.onLimit === 'reject') return false;
  for (const session of living.slice(0, surplus)) endSession(identity, call, session, 'concurrent_evict');
  return true;
}

function recordOf(call: Work, wish: SessionWish): SessionRecord {
  const { clock, ids } = call.activation.context;
  const now = clock.now();
  const id = ids.next();
  return {
    id,
    origin: id,
    principal: wish.principal,
    actor: wish.actor ?? null,
    kind: wish.kind,
    created_at: timestamp(now),
    last_seen_at: timestamp(now),
    expires_at: timestamp(now + wish.lifetimeMs),
    ip: wish.ip ?? null,
    user_agent: wish.userAgent?.slice(0, limits.session.userAgentCharsMax) ?? null,
    revoked_at: null,
    reason: null,
    ...(wish.purpose === undefined ? {} : { purpose: wish.purpose }),
  };
}

/** The session counts from here on, so that two logins of one user at once cannot both pass the limit. */
function enter(identity: Identity, call: Work, { registry }: TenantSessions, record: SessionRecord): void {
  const { id, origin, principal, kind } = record;
  const session = {
    id,
    origin,
    principal,
    kind,
    expiresAtMs: Date.parse(record.expires_at),
    lastSeenMs: Date.parse(record.last_seen_at),
    touched: false,
  };
  registry.add(session);
  call.onEnd((newest) => {
    if (newest === null) registry.remove(session);
    else identity.emit(call, 'auth.session.opened', id, 'ok', { kind, principal });
  });
}

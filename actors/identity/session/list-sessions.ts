/** `POST /internal/session/list`. Spec: docs/contract/identity-users.md §4.3. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { callerOf } from './caller.ts';
import { isOverseer, maySee } from './reach.ts';
import type { SessionRegistry } from './registry.ts';
import type { sessionRoutes } from './routes.ts';
import { listRequest, type ShownSession } from './shapes.ts';
import { findSession, scanSessions, type SessionRecord } from './store.ts';
import { sessionsOf } from './tenant-sessions.ts';

type Result = Outcome<typeof sessionRoutes.listSessions>;

interface Found {
  readonly records: readonly SessionRecord[];
  /** The number of all sessions, even when fewer are shown. */
  readonly count: number;
}

/** Without `principal`: all sessions of the tenant for its admin and a superadmin, the caller's own for every other user. */
export function listSessions(call: Call): Result {
  const caller = callerOf(call);
  if (isRefusal(caller)) return caller;
  const body = readBody(call, listRequest, true);
  if (!body.ok) return body.refusal;
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const principal = body.value.principal ?? (isOverseer(caller) ? null : caller.subject);
  if (principal !== null && !maySee(caller, principal)) return refuse('session_denied');
  return reply(200, sessionsSeen(call, principal));
}

export interface SessionList {
  readonly sessions: readonly ShownSession[];
  readonly count: number;
}

/** The newest sessions of a principal, or of the tenant where it is null; `count` is the number of all of them. */
export function sessionsSeen(work: Work, principal: string | null): SessionList {
  const { registry } = sessionsOf(work.activation);
  const now = work.activation.context.clock.now();
  const { records, count } = principal === null ? all(work, registry, now) : of(principal, work, registry, now);
  return { sessions: records.map((record) => shown(record, registry)), count };
}

/** The newest sessions of a principal, as they are stored. */
export function recordsOf(work: Work, principal: string): readonly SessionRecord[] {
  return of(principal, work, sessionsOf(work.activation).registry, work.now).records;
}

/** The registry knows the ids of a principal's sessions, so that no scan is needed. */
function of(principal: string, work: Work, registry: SessionRegistry, now: number): Found {
  const ended = registry.endedOf(principal).filter(({ expiresAtMs }) => now < expiresAtMs);
  const ids = [...registry.livingOf(principal, now), ...ended].map(({ id }) => id);
  const newest = ids.toSorted().toReversed().slice(0, limits.session.listMax);
  const turn = work.turn();
  return { records: newest.flatMap((id) => findSession(turn, id) ?? []), count: ids.length };
}

function all(work: Work, registry: SessionRegistry, now: number): Found {
  const records: SessionRecord[] = [];
  for (const record of scanSessions(work.turn(), true)) {
    if (records.length === limits.session.listMax) break;
    if (now < instantMs(record.expires_at)) records.push(record);
  }
  return { records, count: registry.countShown(now) };
}

function shown(record: SessionRecord, registry: SessionRegistry): ShownSession {
  const { id, principal, created_at, expires_at, ip, user_agent, kind, revoked_at, reason, actor, purpose } = record;
  const live = registry.find(id);
  const last_seen_at = live === undefined ? record.last_seen_at : timestamp(live.lastSeenMs);
  const session = { id, principal, created_at, last_seen_at, expires_at, ip, user_agent, kind, revoked_at, reason };
  if (actor === null) return session;
  return { ...session, actor, impersonation: { reason: purpose?.reason ?? null, mode: purpose?.mode ?? null } };
}

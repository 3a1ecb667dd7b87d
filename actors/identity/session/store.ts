/** The table of sessions. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export type { Reader, Turn } from '#storage/port.ts';

export type SessionKind = 'user' | 'impersonation';

/** A session at rest (docs/contract/identity-users.md §4.2); `origin` and `actor` are ours. */
export interface SessionRecord {
  readonly id: string;
  /** The id at the opening: rotation changes `id`, and refresh tokens refer to the session by this one. */
  readonly origin: string;
  /** User id; in an impersonation the impersonated user. */
  readonly principal: string;
  /** The operator of an impersonation; null for a user's own session. */
  readonly actor: string | null;
  readonly kind: SessionKind;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly revoked_at: string | null;
  /** Why it was revoked. */
  readonly reason: string | null;
  /** Why the operator of an impersonation acts, and how far. */
  readonly purpose?: Purpose;
}

export interface Purpose {
  readonly reason: string;
  readonly mode: 'readonly' | 'full';
}

const sessions = new Table<SessionRecord>('session', TABLES.session);

export function findSession(reader: Reader, id: string): SessionRecord | undefined {
  return sessions.get(reader, id);
}

export function putSession(turn: Turn, record: SessionRecord): void {
  sessions.put(turn, record, record.id);
}

export function deleteSession(turn: Turn, id: string): void {
  sessions.del(turn, id);
}

/** Every session in the order of ids, oldest first or newest first. */
export function scanSessions(reader: Reader, newestFirst = false): IterableIterator<SessionRecord> {
  return sessions.scan(reader, [], newestFirst);
}

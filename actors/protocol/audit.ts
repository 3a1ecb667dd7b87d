/** Events on their way to the audit log: from a tenant's outbox over main to the sealer, and the sealer's answer back. */

import type { Position } from './position.ts';

/** Members of an event that can be erased while the log still verifies: the record holds only their salted hash. */
export interface Personal {
  /** The caller's address. */
  readonly ip?: string;
  /** The e-mail address that was logged in with, written to, or given to a user. */
  readonly email?: string;
}

/** What happened, as its source reports it. */
export interface AuditEvent {
  /** RFC 3339, by the clock of the thread where it happened, or by the log's for events that a caller appends over HTTP. */
  readonly ts: string;
  /** When it happened according to a caller over HTTP; no decision rests on it. */
  readonly event_ts?: string;
  /** What numbers the event. */
  readonly source: string;
  /** The source's own number of it: 1, 2, 3, …; a missing number is an event that never arrived. */
  readonly source_seq: number;
  /** The acting user, key or service; under an impersonation the operator. '' when no credential was verified. */
  readonly actor: string;
  /** The user whom the actor impersonates. */
  readonly subject?: string;
  /** The session in which it was done. */
  readonly session?: string;
  readonly personal?: Personal;
  /** The caller that appended it over HTTP: `actor` and `source` are then that caller's claims. */
  readonly told_by?: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly request_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event without its number. */
export type NewAuditEvent = Omit<AuditEvent, 'source' | 'source_seq'>;

/** An event of the node or of a service without tenants, before it has a number. */
export type NodeEvent = NewAuditEvent;

/** Events for a log of the node or of the vault, in the order of their numbers. */
export interface NodeBatch {
  /** `node/…` or `vault/…`. */
  readonly log: string;
  readonly events: readonly AuditEvent[];
}

/** The newest record whose data has `member`, of a source that begins with `source`, in a log whose id begins with `prefix`. */
export interface LastWord {
  readonly prefix: string;
  readonly source: string;
  readonly member: string;
}

/** Events of one tenant, in the order of their numbers, as `packEvents` (actors/host) puts them together: main hands them on unread. */
export interface AuditBatch {
  readonly position: Position;
  /** What numbers the events; `host` when absent. */
  readonly source?: string;
  readonly records: Uint8Array;
}

/** Some events of a tenant, as they leave its outbox. */
export interface AuditParcel extends AuditSettled {
  readonly batch: AuditBatch;
}

/** The log holds every event of the tenant up to this number: the outbox forgets them. */
export interface AuditSettled {
  readonly tenantNo: number;
  readonly upTo: number;
}

/** Messages to the sealer of audit logs, and of events on their way there. */
import type { AuditBatch, AuditEvent, AuditParcel, AuditSettled, LastWord, NodeBatch, NodeEvent } from './audit.ts';
import type { OutboxWish, Pending, Taken } from './outbox.ts';
import type { PersonRecords } from './person.ts';
import { topic } from './topic.ts';

export const auditTopics = {
  /** Open the signed heads; logs are opened when they are needed. */
  'audit.open': topic<null, null>({ from: 'main', to: 'audit-sealer', deadlineMs: 120_000 }),
  /** Keys of the tenants that are suspended now, all of them: their own credentials open no log meanwhile. */
  'audit.suspended': topic<readonly string[], null>({ from: 'main', to: 'audit-sealer', deadlineMs: 5000 }),
  /** A tenant's outbox holds events, durably; main asks its host for them. Sent again when a host opens. */
  'audit.pending': topic<Pending, null>({ from: 'tenant-host', to: 'main', deadlineMs: 0 }),
  /** The oldest events of a tenant; its actor is not woken. */
  'audit.take': topic<OutboxWish, Taken<AuditParcel>>({ from: 'main', to: 'tenant-host', deadlineMs: 60_000 }),
  'audit.settle': topic<AuditSettled, null>({ from: 'main', to: 'tenant-host', deadlineMs: 60_000 }),
  /** Events of a tenant's outbox; answered when they are durable in its log. */
  'audit.append': topic<AuditBatch, null>({ from: 'main', to: 'audit-sealer', deadlineMs: 30_000 }),
  /** Events of the node or the vault; answered when they are durable in their log. An event whose number the log already holds is not appended again. */
  'audit.record': topic<NodeBatch, null>({ from: 'main', to: 'audit-sealer', deadlineMs: 30_000 }),
  /** The newest number of a source in a log; 0 where it has none. */
  'audit.last': topic<{ readonly log: string; readonly source: string }, number>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 30_000,
  }),
  /** The newest event that fits (`LastWord`); null when there is none. */
  'audit.newest': topic<LastWord, AuditEvent | null>({ from: 'main', to: 'audit-sealer', deadlineMs: 30_000 }),
  /** The same, asked by the vault of its own logs: how far its store had come. */
  'audit.recall': topic<LastWord, AuditEvent | null>({ from: 'vault-keeper', to: 'main', deadlineMs: 30_000 }),
  /** Records of a log that name a user as actor, subject or target, from a number on. */
  'audit.person': topic<{ readonly log: string; readonly user: string; readonly from: number }, PersonRecords>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 60_000,
  }),
  /** Erases the personal lines of an address beside a log; gives how many. */
  'audit.forget': topic<{ readonly log: string; readonly email: string }, number>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 120_000,
  }),
  /** An event of intake; main numbers it and brings it to its log. */
  'audit.event': topic<NodeEvent, null>({ from: 'intake-writer', to: 'main', deadlineMs: 0 }),
  /** The vault's events, which it numbers and keeps: true when they are durable, false where nothing is recorded. */
  'audit.hand': topic<NodeBatch, boolean>({ from: 'vault-keeper', to: 'main', deadlineMs: 7_000 }),
  /** The newest number of a source of the vault; null where nothing is recorded. */
  'audit.resume': topic<{ readonly log: string; readonly source: string }, number | null>({
    from: 'vault-keeper',
    to: 'main',
    deadlineMs: 7_000,
  }),
} as const;

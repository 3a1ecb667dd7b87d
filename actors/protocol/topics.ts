/**
 * Every message that crosses a thread besides requests and replies: sender, receiver, body, reply, deadline, retry.
 * Asks go down this list of threads: cli → main → the others. Some go up, `node.ask`, `audit.hand`, `audit.resume`, `vault.key` and `vault.tenant-secret`: their sender is an asynchronous handler that
 * holds no turn, no mailbox and no lock while it waits, and main goes on answering while its own asks of hosts are under way. So
 * nobody who waits keeps an answer from anybody, and no circle of waiting can close.
 */
import type { RingRecord, PublicKeyRecord } from '#actors/kit/token/ring.ts';
import type { AuditBatch, AuditEvent, LastWord, NodeBatch, NodeEvent } from './audit.ts';
import type { Mail, Settled } from './mail.ts';
import type { Notice, NoticeSettled } from './notice.ts';
import type { Position } from './position.ts';
import type { Delivery, DeliverySettled } from './webhook.ts';
import type { RelayedAnswer, RelayedCall } from './relay.ts';
import { topic } from './topic.ts';
import type { TopicRow } from './topic.ts';
import { VAULT_TOPICS } from './vault-topics.ts';

/** A tenant as the supervisor, the door and the hosts share it. */
export interface TenantEntry {
  readonly no: number;
  readonly position: Position;
  readonly shard: number;
  readonly state: TenantState;
  /** Product checkout; null for planes. */
  readonly localdir: string | null;
  /** Who counts its events, where an earlier tenant of this key may have counted as `host`. */
  readonly events?: string;
}

export type TenantState = 'registered' | 'bootstrapped' | 'seeded' | 'active' | 'restoring' | 'moving' | 'deleting';

export interface HostOpen {
  readonly host: number;
  readonly epoch: number;
  readonly shards: readonly number[];
  /** Journal directories whose records of these shards come first. */
  readonly replay: readonly string[];
  readonly tenants: readonly TenantEntry[];
  readonly ring: readonly RingRecord[];
  readonly trust: readonly PublicKeyRecord[];
}

/** A message to one tenant's actor: the service's own topics, by name. */
export interface ActorAsk {
  readonly tenantNo: number;
  readonly service: string;
  readonly verb: string;
  readonly body: unknown;
}

/** A submission that the door answered by itself, as intake's log has it. */
export interface DoorRefusal {
  readonly requestId: string;
  readonly form: string;
  readonly ip: string;
  readonly status: number;
  readonly latencyMs: number;
  readonly bytes: number;
  readonly outcome: 'forbidden' | 'bad_request' | 'too_large' | 'rate_limited' | 'shedding';
}

export interface RefusedSubmissions {
  readonly counts: readonly (readonly [outcome: DoorRefusal['outcome'], times: number])[];
  readonly lines: readonly DoorRefusal[];
  /** Lines that are only counted: too many came at once. */
  readonly dropped: number;
}

/** A host's request of the whole node; verbs and their bodies: node-verbs.ts. */
export interface NodeAsk {
  readonly verb: string;
  readonly body: unknown;
}

export const TOPICS = {
  ...VAULT_TOPICS,
  'host.open': topic<HostOpen, { readonly openMs: number }>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 120_000,
    retry: 'never',
    summary: 'A warm host becomes host N: it replays the journals and opens its shards.',
  }),
  'host.tenants': topic<readonly TenantEntry[], null>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 5000,
    retry: 'restart',
    summary: 'The directory has changed.',
  }),
  'host.ring': topic<readonly RingRecord[], null>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 5000,
    retry: 'restart',
    summary: 'The signing and verification keys have changed.',
  }),
  'host.trust': topic<readonly PublicKeyRecord[], null>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 5000,
    retry: 'restart',
    summary: 'The keys of the issuer that `jwks.issuers.iam` names, when it is not this node.',
  }),
  'actor.ask': topic<ActorAsk, unknown>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 60_000,
    retry: 'never',
    summary: "A message to one tenant's actor (provisioning, import, keys); answered when durable.",
  }),
  'node.ask': topic<NodeAsk, unknown>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 180_000,
    retry: 'never',
    summary: 'An operator asks for more than his own tenant: register, provision, a message to another tenant’s actor.',
  }),
  'actor.call': topic<{ readonly tenantNo: number; readonly call: RelayedCall }, RelayedAnswer>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 3_600_000,
    retry: 'never',
    summary: "A superadmin's request to a tenant's admin plane: it may build an index.",
  }),
  'node.call': topic<{ readonly key: string; readonly call: RelayedCall }, RelayedAnswer | null>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 3_600_000,
    retry: 'never',
    summary: 'The same, from the host that judged the superadmin; null where no such tenant is active.',
  }),
  'thread.drain': topic<null, null>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 30_000,
    retry: 'never',
    summary: 'Finish what was accepted, make it durable, close.',
  }),
  'thread.throw': topic<null, null>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 1000,
    retry: 'never',
    summary: 'A drill: throw an uncaught error.',
  }),
  'intake.open': topic<null, { readonly replayed: number }>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 120_000,
    retry: 'restart',
    summary: 'Compile the forms, open and verify the log, bring the database up to it.',
  }),
  'intake.refused': topic<RefusedSubmissions, null>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 5000,
    retry: 'never',
    summary: 'Submissions that the door answered by itself, for the counters of /metrics and the log.',
  }),
  'thread.retire': topic<null, null>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 5000,
    retry: 'never',
    summary: 'First step of a stop: /ready turns 503 while the sockets are still open.',
  }),
  'intake.rotate': topic<null, null>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 10_000,
    retry: 'never',
    summary: 'SIGHUP: rotate the JSONL log and reread the forms when configured so.',
  }),
  'mail.pending': topic<{ readonly tenantNo: number }, null>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: "A tenant's outbox holds mail, durably; main asks its actor for it. Told again when a host opens.",
  }),
  'courier.send': topic<readonly Mail[], null>({
    from: 'main',
    to: 'courier',
    deadlineMs: 10_000,
    retry: 'restart',
    summary: 'Mail to send; answered when it is in the queue.',
  }),
  'notice.offer': topic<readonly Notice[], null>({
    from: 'intake-writer',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: "Notices of intake's durable outbox, for the courier. Offered again when it or the writer is new.",
  }),
  'courier.notify': topic<readonly Notice[], null>({
    from: 'main',
    to: 'courier',
    deadlineMs: 0,
    retry: 'never',
    summary: 'Notices to send; one that the courier holds already counts once.',
  }),
  'courier.notified': topic<NoticeSettled, null>({
    from: 'courier',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: "The courier's answer for one notice.",
  }),
  'notice.settled': topic<NoticeSettled, null>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 0,
    retry: 'never',
    summary: 'The same, to the outbox: it deletes the entry.',
  }),
  'notice.again': topic<null, null>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 0,
    retry: 'never',
    summary: 'A new courier runs: the outbox offers everything that was not answered for.',
  }),
  'audit.open': topic<null, null>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 120_000,
    retry: 'restart',
    summary: 'Open the signed heads; logs are opened when they are needed.',
  }),
  'audit.pending': topic<{ readonly tenantNo: number }, null>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: "A tenant's outbox holds events, durably; main asks its host for them. Told again when a host opens.",
  }),
  'audit.append': topic<AuditBatch, null>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 30_000,
    retry: 'restart',
    summary: "Events of a tenant's outbox; answered when they are durable in its log.",
  }),
  'hook.pending': topic<{ readonly tenantNo: number }, null>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary:
      "A tenant's outbox holds webhook deliveries, durably; main asks its actor for them. Told again when a host opens.",
  }),
  'courier.deliver': topic<readonly Delivery[], null>({
    from: 'main',
    to: 'courier',
    deadlineMs: 10_000,
    retry: 'restart',
    summary: 'Webhook deliveries to send; answered when they are in the queue.',
  }),
  'courier.delivered': topic<DeliverySettled, null>({
    from: 'courier',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: "The courier's answer for one delivery: its owner notes it in the delivery log.",
  }),
  'audit.record': topic<NodeBatch, null>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 30_000,
    retry: 'restart',
    summary:
      'Events of the node or the vault; answered when they are durable in their log. A number that is there is not taken twice.',
  }),
  'audit.last': topic<{ readonly log: string; readonly source: string }, number>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 30_000,
    retry: 'restart',
    summary: 'The newest number of a source in a log; 0 where it has none.',
  }),
  'audit.newest': topic<LastWord, AuditEvent | null>({
    from: 'main',
    to: 'audit-sealer',
    deadlineMs: 30_000,
    retry: 'restart',
    summary: 'What was said last of something, by such sources in such logs; null where nothing.',
  }),
  'audit.recall': topic<LastWord, AuditEvent | null>({
    from: 'vault-keeper',
    to: 'main',
    deadlineMs: 30_000,
    retry: 'never',
    summary: 'The same, asked by the vault of its own logs: how far its store had come.',
  }),
  'audit.event': topic<NodeEvent, null>({
    from: 'intake-writer',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: 'An event of intake; main numbers it and sees to it that it reaches its log.',
  }),
  'audit.hand': topic<NodeBatch, boolean>({
    from: 'vault-keeper',
    to: 'main',
    deadlineMs: 7_000,
    retry: 'never',
    summary:
      "The vault's events, which it numbers and keeps: true when they are durable, false where nothing is recorded.",
  }),
  'audit.resume': topic<{ readonly log: string; readonly source: string }, number | null>({
    from: 'vault-keeper',
    to: 'main',
    deadlineMs: 7_000,
    retry: 'never',
    summary: 'The newest number of a source of the vault; null where nothing is recorded.',
  }),
  'courier.settled': topic<Settled, null>({
    from: 'courier',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: "The courier's answer for one mail: its owner deletes the entry.",
  }),
} as const;

export type Topic = keyof typeof TOPICS;
export type BodyOf<T extends Topic> = (typeof TOPICS)[T] extends TopicRow<infer B, unknown> ? B : never;
export type ReplyOf<T extends Topic> = (typeof TOPICS)[T] extends TopicRow<unknown, infer R> ? R : never;

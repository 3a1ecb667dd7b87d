/**
 * Every message that crosses a thread besides requests and replies: sender, receiver, body, reply, deadline, retry.
 * Asks go down this list of threads: cli → main → the others. Some go up, `node.ask`, `audit.hand`, `audit.resume`, `vault.key` and `vault.tenant-secret`: their sender is an asynchronous handler that
 * holds no turn, no mailbox and no lock while it waits, and main goes on answering while its own asks of hosts are under way. So
 * nobody who waits keeps an answer from anybody, and no circle of waiting can close.
 */
import type { RingRecord, PublicKeyRecord } from '#actors/kit/token/ring.ts';
import { auditTopics } from './audit-topics.ts';
import { courierTopics } from './courier-topics.ts';
import type { DegradedNews } from './degraded.ts';
import type { Position } from './position.ts';
import type { RelayedAnswer, RelayedCall } from './relay.ts';
import { topic } from './topic.ts';
import type { TopicRow } from './topic.ts';
import { vaultTopics } from './vault-topics.ts';

/** A tenant as the supervisor, the door and the hosts share it. */
export interface TenantEntry {
  readonly no: number;
  readonly position: Position;
  readonly shard: number;
  readonly state: TenantState;
  /** Product checkout; null for planes. */
  readonly localdir: string | null;
  /** When it was made, in milliseconds; absent for the control plane, which always was. */
  readonly since?: number;
  /** Who counts its events, where an earlier tenant of this key may have counted as `host`. */
  readonly events?: string;
}

/** Some of the tenants as they are now, and the numbers of those that are gone. Numbers are never given again. */
export interface TenantChanges {
  readonly put: readonly TenantEntry[];
  readonly gone: readonly number[];
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
    summary: 'All tenants that there are: others are gone.',
  }),
  'host.changed': topic<TenantChanges, null>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 5000,
    retry: 'restart',
    summary: 'These tenants have changed, and all others are as they were.',
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
  'node.degraded': topic<DegradedNews, null>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 0,
    retry: 'never',
    summary: 'Something works less than it should, or is well again. Any thread tells it; main lists it (degraded.ts).',
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
  ...courierTopics,
  ...auditTopics,
  ...vaultTopics,
} as const;

export type Topic = keyof typeof TOPICS;
export type BodyOf<T extends Topic> = (typeof TOPICS)[T] extends TopicRow<infer B, unknown> ? B : never;
export type ReplyOf<T extends Topic> = (typeof TOPICS)[T] extends TopicRow<unknown, infer R> ? R : never;

/**
 * Every message that crosses a thread besides requests and replies: sender, receiver, body, reply, deadline. Asks go down this list of
 * threads: cli → main → the others. Some go up (`node.ask`, `audit.hand`, `audit.resume`, `vault.key`, `vault.tenant-secret`): their sender
 * is an asynchronous handler that holds no turn, no mailbox and no lock while it waits, and main goes on answering while its own asks of
 * hosts are under way. So a waiting sender never delays another's answer, and no circle of waiting can close.
 */
import { limits } from '#config/limits.ts';
import type { RingRecord, PublicKeyRecord } from '#actors/kit/token/ring.ts';
import { auditTopics } from './audit-topics.ts';
import { courierTopics } from './courier-topics.ts';
import type { DegradedNews } from './degraded.ts';
import type { KeptLine, LinesAsk } from './node-view.ts';
import type { ErasedSubmissions } from './person.ts';
import type { Position } from './position.ts';
import type { RelayedAnswer, RelayedCall } from './relay.ts';
import type { Standing } from './standing.ts';
import type { Quota } from './usage.ts';
import { submissionTopics } from './submission-topics.ts';
import { CHILD_THREADS, topic, type ThreadName, type TopicRow } from './topic.ts';
import { vaultTopics } from './vault-topics.ts';

/** A tenant as the supervisor, the door and the hosts share it. */
export interface TenantEntry {
  readonly no: number;
  readonly position: Position;
  readonly shard: number;
  readonly state: TenantState;
  /** How operators let it serve; absent where it serves without restriction. */
  readonly standing?: Standing;
  /** What it may use within a day; absent where nothing bounds it. */
  readonly quota?: Quota;
  /** The operator's reason for it, and since when it stands so (RFC 3339). */
  readonly reason?: string;
  readonly standing_since?: string;
  /** Product checkout; null for planes. */
  readonly localdir: string | null;
  /** When it was made, in milliseconds; absent for the control plane, which the node begins with. */
  readonly since?: number;
  /** Source of its events, where an earlier tenant of this key may have used `host`. */
  readonly events?: string;
}

/** Some of the tenants as they are now, and the numbers of those that are gone. Numbers are never given again. */
export interface TenantChanges {
  readonly put: readonly TenantEntry[];
  readonly gone: readonly number[];
}

export const TENANT_STATES = [
  'registered',
  'bootstrapped',
  'seeded',
  'active',
  'restoring',
  'moving',
  'deleting',
] as const;
export type TenantState = (typeof TENANT_STATES)[number];

/** A shard that is not served, since a damaged journal lost records of it. */
export interface StoppedShard {
  readonly shard: number;
  readonly journal: string;
  /** What is wrong, as text for an operator. */
  readonly what: string;
}

export interface HostOpen {
  readonly host: number;
  readonly epoch: number;
  readonly shards: readonly number[];
  /** Journal directories whose records of these shards come first. */
  readonly replay: readonly string[];
  /** Tenants to wake before they are asked for, the first one first; those of other hosts are among them. A node of an earlier release that serves names none to a carrier. */
  readonly wakes?: readonly number[];
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

/** The copy of the journals after a step. */
export interface JournalCopyNews {
  /** When the step began, in milliseconds. */
  readonly at: number;
  /** Bytes of records that it copied. */
  readonly bytes: number;
  /** What was lost before it could be copied, as text for an operator. */
  readonly lost: readonly string[];
  /** Why it failed, as text for an operator; null where everything is copied. */
  readonly failed: string | null;
}

/** A host's request of the whole node; verbs and their bodies: node-verbs.ts. */
export interface NodeAsk {
  readonly verb: string;
  readonly body: unknown;
}

export const TOPICS = {
  /** A warm host becomes host N: it replays the journals and opens its shards. */
  'host.open': topic<HostOpen, { readonly openMs: number; readonly stopped: readonly StoppedShard[] }>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 120_000,
  }),
  /** All tenants that exist: any other is gone. */
  'host.tenants': topic<readonly TenantEntry[], null>({ from: 'main', to: 'tenant-host', deadlineMs: 5000 }),
  /** These tenants have changed, and all others are as they were. */
  'host.changed': topic<TenantChanges, null>({ from: 'main', to: 'tenant-host', deadlineMs: 5000 }),
  /** The signing and verification keys have changed. */
  'host.ring': topic<readonly RingRecord[], null>({
    from: 'main',
    to: ['tenant-host', 'audit-sealer'],
    deadlineMs: 5000,
  }),
  /** The keys of the issuer that `jwks.issuers.iam` names, when it is not this node. */
  'host.trust': topic<readonly PublicKeyRecord[], null>({
    from: 'main',
    to: ['tenant-host', 'audit-sealer'],
    deadlineMs: 5000,
  }),
  /** A message to one tenant's actor (provisioning, import, keys); answered when durable. */
  'actor.ask': topic<ActorAsk, unknown>({ from: 'main', to: 'tenant-host', deadlineMs: 60_000 }),
  /** An operator's request reaches beyond the operator's own tenant: register, provision, a message to another tenant’s actor. */
  'node.ask': topic<NodeAsk, unknown>({ from: ['tenant-host', 'audit-sealer'], to: 'main', deadlineMs: 180_000 }),
  /** Whether no other node has this one's place on the log, by a round that begins behind the ask (`cluster.reads: confirmed`). */
  'cluster.confirm': topic<null, boolean>({ from: 'tenant-host', to: 'main', deadlineMs: 180_000 }),
  /** A superadmin's request to a tenant's admin plane: it may build an index. */
  'actor.call': topic<{ readonly tenantNo: number; readonly call: RelayedCall }, RelayedAnswer>({
    from: 'main',
    to: 'tenant-host',
    deadlineMs: 3_600_000,
  }),
  /** The same, from the host that authorized the superadmin; null where no such tenant is active. */
  'node.call': topic<{ readonly key: string; readonly call: RelayedCall }, RelayedAnswer | null>({
    from: 'tenant-host',
    to: 'main',
    deadlineMs: 3_600_000,
  }),
  /** The thread copies its database, as it is committed now, into an empty directory; false where it has none in files. */
  'thread.copy': topic<{ readonly directory: string }, { readonly copied: boolean }>({
    from: 'main',
    to: ['audit-sealer', 'vault-keeper', 'intake-writer'],
    deadlineMs: limits.backup.copyMsMax,
  }),
  /** Whether the thread's event loop goes round; its answer is a beat in its pulse. */
  'thread.beat': topic<null, null>({ from: 'main', to: CHILD_THREADS, deadlineMs: 0 }),
  /** The node waits for its log: answered when the thread has loaded its code, and a host has read what tenants of these checkouts serve. Nothing is opened. */
  'thread.await': topic<readonly string[], null>({ from: 'main', to: CHILD_THREADS, deadlineMs: 180_000 }),
  /** The node waits, and is told that its place is given to it next: a host, and intake, connect to the database of the log ahead. Answered when they have, or cannot. */
  'thread.soon': topic<null, null>({ from: 'main', to: ['tenant-host', 'intake-writer'], deadlineMs: 30_000 }),
  /** The newest lines of the thread's log, for operators (docs/contract/node.md). */
  'thread.lines': topic<LinesAsk, readonly KeptLine[]>({
    from: 'main',
    to: CHILD_THREADS,
    deadlineMs: limits.nodeView.linesWaitMs,
  }),
  /** Something works less than it should, or works again. Any thread reports it; main lists it (degraded.ts). */
  'node.degraded': topic<DegradedNews, null>({ from: CHILD_THREADS, to: 'main', deadlineMs: 0 }),
  /** Finish what was accepted, and make it durable: the host writes nothing more, and another node may have its shards. What is left of a drain follows. */
  'host.seal': topic<null, null>({ from: 'main', to: 'tenant-host', deadlineMs: 30_000 }),
  /** Finish what was accepted, make it durable, close. */
  'thread.drain': topic<null, null>({ from: 'main', to: CHILD_THREADS, deadlineMs: 30_000 }),
  /** A drill: throw an uncaught error. */
  'thread.throw': topic<null, null>({ from: 'main', to: 'tenant-host', deadlineMs: 1000 }),
  /** Compile the forms, open and verify the log, bring the database up to it; take in what another backend left, which goes on at the next start. */
  'intake.open': topic<null, { readonly replayed: number }>({ from: 'main', to: 'intake-writer', deadlineMs: 600_000 }),
  /** Submissions that the door answered by itself, for the counters of /metrics and the log. */
  'intake.refused': topic<RefusedSubmissions, null>({ from: 'main', to: 'intake-writer', deadlineMs: 5000 }),
  /** First step of a stop: /ready turns 503 while the sockets are still open. */
  'thread.retire': topic<null, null>({ from: 'main', to: 'intake-writer', deadlineMs: 5000 }),
  /** Another node may take the submissions behind the answer: what was taken is durable, and nothing more is written. */
  'intake.seal': topic<null, null>({ from: 'main', to: 'intake-writer', deadlineMs: 30_000 }),
  /** SIGHUP: rotate the JSONL log and reread the forms when configured so. */
  'intake.rotate': topic<null, null>({ from: 'main', to: 'intake-writer', deadlineMs: 10_000 }),
  /** Erases one person's submissions, in slices; the event of it names no address. */
  'intake.person.erase': topic<{ readonly address: string }, ErasedSubmissions>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 3_600_000,
  }),
  /** What became of a step of the journals' copy (runtime/backups/copy-loop.ts). */
  'journal.copied': topic<JournalCopyNews, null>({ from: 'journal-copier', to: 'main', deadlineMs: 0 }),
  ...courierTopics,
  ...submissionTopics,
  ...auditTopics,
  ...vaultTopics,
} as const;

export type Topic = keyof typeof TOPICS;
export type BodyOf<T extends Topic> = (typeof TOPICS)[T] extends TopicRow<infer B, unknown> ? B : never;
export type ReplyOf<T extends Topic> = (typeof TOPICS)[T] extends TopicRow<unknown, infer R> ? R : never;

const between = new Map<string, ReadonlySet<Topic>>();

/** The topics that one thread may send another. */
export function topicsBetween(from: ThreadName, to: ThreadName): ReadonlySet<Topic> {
  const ends = `${from} ${to}`;
  let topics = between.get(ends);
  if (topics === undefined) {
    const rows = Object.entries(TOPICS) as [Topic, TopicRow<unknown, unknown>][];
    topics = new Set(rows.flatMap(([name, row]) => (isOne(row.from, from) && isOne(row.to, to) ? name : [])));
    between.set(ends, topics);
  }
  return topics;
}

function isOne(declared: TopicRow<unknown, unknown>['from'], thread: ThreadName): boolean {
  return typeof declared === 'string' ? declared === thread : declared.includes(thread);
}

/** What main shows of the node itself, to operators of the control plane alone (docs/contract/node.md). It never holds a secret. */
import type { Setting } from '#config/settings.ts';
import type { Source } from '#config/sources.ts';
import type { DegradedScope } from './degraded.ts';

/** `away`: no thread has the place now; `still`: its thread has not ended a turn for so long that it counts as not serving. */
export const THREAD_STATES = ['serving', 'still', 'away'] as const;
type ThreadState = (typeof THREAD_STATES)[number];

/** Why a node is not ready. `degraded`: something concerns all callers; the list of degraded things says what. */
export const UNREADY = ['draining', 'no_host', 'degraded'] as const;
type Unready = (typeof UNREADY)[number];

interface ThreadHealth {
  readonly name: string;
  readonly state: ThreadState;
  /** When its present thread, or the last one, took the place; null before the first. */
  readonly since: string | null;
  /** Threads that have followed the first one, since the node started. */
  readonly restarts: number;
  /** How long it stands still in one turn; 0 below what the watchdog tells of. */
  readonly quiet_ms: number;
}

interface HostHealth {
  readonly name: string;
  readonly shards: readonly number[];
  readonly tenants_awake: number;
  /** Requests that wait for a turn of their tenant. */
  readonly waiting: number;
  /** Since the node started. */
  readonly journal_bytes: number;
  readonly journal_syncs: number;
  /** Writes that are journalled and not yet in LMDB, and the journal records that LMDB has not committed. */
  readonly overlay_entries: number;
  readonly lag_records: number;
}

export interface NodeHealth {
  readonly ready: boolean;
  readonly reasons: readonly Unready[];
  readonly version: string;
  readonly started_at: string;
  readonly threads: readonly ThreadHealth[];
  /** Whether a warm thread waits to take the place of a host that ends. */
  readonly spare: boolean;
  readonly hosts: readonly HostHealth[];
  /** Null where the journals are not copied. */
  readonly journal_copy: {
    readonly every_seconds: number;
    readonly copied_at: string | null;
    readonly failed: string | null;
    /** Times that records were lost to the copy. */
    readonly gaps: number;
  } | null;
  readonly disk: { readonly free_bytes: number | null; readonly free_bytes_min: number };
  readonly degraded: readonly {
    readonly scope: DegradedScope;
    readonly name: string;
    readonly reason: string;
    readonly concerns?: 'all';
    readonly since: string;
  }[];
  /** Degraded things that are not in the list. */
  readonly degraded_more: number;
}

export interface NodeConfiguration {
  /** The platform file; null where the node runs by defaults. */
  readonly file: string | null;
  /** Tenants that the platform file names; their definitions are not among the settings. */
  readonly tenants: number;
  readonly settings: readonly Setting[];
  /** The key to go on after; null at the end. */
  readonly next: string | null;
}

export interface LoadFigures {
  readonly requests: number;
  /** Answers 400 to 499, and from 500 on. */
  readonly refused: number;
  readonly failed: number;
  /** Answers of the door itself: the request reached no thread. */
  readonly by_door: number;
  readonly mean_ms: number;
}

export interface NodeLoad {
  /** The minutes that are added up, the present one included. */
  readonly minutes: number;
  readonly total: LoadFigures;
  readonly statuses: readonly (LoadFigures & { readonly status: number })[];
  readonly tenants: readonly (LoadFigures & { readonly tenant: string })[];
  /** Tenants that are not in the list, together with requests that named none. */
  readonly tenants_more: LoadFigures;
  readonly routes: readonly (LoadFigures & { readonly service: string; readonly route: string })[];
  /** Routes that are not in the list, together with requests that met none. */
  readonly routes_more: LoadFigures;
  /** Rate profiles, since the node started. */
  readonly rates: readonly {
    readonly profile: string;
    /** Callers that have a bucket now. */
    readonly callers: number;
    readonly refused: number;
    /** Decisions of the bucket that callers without one share. */
    readonly overflowed: number;
  }[];
}

export interface SlowRequest {
  readonly at: string;
  readonly ms: number;
  readonly status: number;
  readonly method: string;
  /** As it is declared; empty where the path has none. */
  readonly route: string;
  readonly service: string;
  /** Null where the request named no tenant that is served. */
  readonly tenant: string | null;
  readonly by_door: boolean;
  readonly request_id: string;
}

export interface NodeSlow {
  readonly minutes: number;
  /** Slowest first. */
  readonly requests: readonly SlowRequest[];
}

export interface ProfileBuckets {
  readonly profile: string;
  /** A profile that is off has neither, and limits no caller. */
  readonly off: boolean;
  readonly burst: number | null;
  readonly per_second: number | null;
  /** Where these numbers were set; null where the platform was not made from a file. */
  readonly source: Source['source'] | null;
  readonly from: string | null;
  /** `<methods> <path>` of the routes that it limits. */
  readonly routes: readonly string[];
  /** Callers that have a bucket now, and how many may. */
  readonly callers: number;
  readonly callers_max: number;
  /** As of the last pass over the buckets: what is taken of the emptiest, 0 to 1, and callers that have no token. */
  readonly taken: number;
  readonly spent: number;
  /** Since the node started; `overflowed`: decisions of the bucket that callers without one share. */
  readonly refused: number;
  readonly overflowed: number;
  /** The tenants at which most callers were refused; each count is too high by at most `over`. Null: no tenant. */
  readonly tenants: readonly { readonly tenant: string | null; readonly refused: number; readonly over: number }[];
}

export interface NodeBuckets {
  /** Those that refused most first, then those with callers. */
  readonly profiles: readonly ProfileBuckets[];
}

/** The node within half a minute, or since the last point. */
export interface FigurePoint {
  readonly at: string;
  readonly requests_per_second: number;
  readonly failed_per_second: number;
  /** Half of the answers took no longer, and all but one in a hundred; null where nothing was answered. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  /** Of all hosts, at the end of the point: requests that wait, and journalled records that LMDB has not committed. */
  readonly waiting: number;
  readonly lag_records: number;
  /** Of main or the host whose event loop is held longest, 99th percentile. */
  readonly loop_delay_ms: number;
  /** The heaps of main and the hosts; resident memory of the process. */
  readonly heap_bytes: number;
  readonly rss_bytes: number;
}

export interface NodeFigures {
  readonly every_seconds: number;
  /** Of the last hour, oldest first. */
  readonly points: readonly FigurePoint[];
}

/** How sets of the whole node are made. */
export interface BackupPlan {
  /** The place, without what opens it. */
  readonly to: string;
  readonly every_seconds: number;
  /** How often the newest set is read and restored for proof; null: never by itself. */
  readonly verify_every_seconds: number | null;
  readonly encrypted: boolean;
  /** Null where none is being made. */
  readonly running_since: string | null;
  readonly next: string | null;
  /** The last failure, until a set is made. */
  readonly failed: string | null;
  readonly failed_at: string | null;
}

export interface NodeBackupSets {
  /** Null where no sets are made. */
  readonly backups:
    | (BackupPlan & {
        /** When the place was looked into; why what follows is old, or is not there. */
        readonly seen_at: string | null;
        readonly unseen: string | null;
        /** Newest first. */
        readonly sets: readonly {
          readonly id: string;
          readonly moment: string;
          readonly ended_at: string;
          readonly tenants: number;
          readonly bytes: number;
          readonly new_bytes: number;
          readonly encrypted: boolean;
          /** Why it cannot be restored; null where its manifest is whole. */
          readonly fault: string | null;
        }[];
        readonly sets_more: number;
      })
    | null;
}

/** What a node on a log is, as others see it. `silent`: its lease is over, and no node has ended it yet. */
export const MATE_STATES = ['serves', 'stands by', 'silent', 'ended'] as const;

/** Why the place of the node that serves was free: it was given up, its node was ended by a command or another node, was silent for its lease, or was an earlier process of the same directory. */
export const TAKE_CAUSES = ['given up', 'ended', 'silent', 'own'] as const;

export interface ClusterMate {
  readonly node: string;
  readonly state: (typeof MATE_STATES)[number];
  /** Since its newest beat, by the clock of the database. */
  readonly beat_seconds: number;
  readonly lease_seconds: number;
  /** Of one that stands by: entries that it did not have at its newest beat, and how long ago it had all; null of one that does not follow. */
  readonly behind: number | null;
  readonly behind_seconds: number | null;
  /** Where the doors of other nodes reach it; null where they do not. */
  readonly link: string | null;
  /** Of one that stands by: whether requests at its doors reached the node that serves, at its newest beat; null where its doors are closed. */
  readonly linked: boolean | null;
  /** The node for which it runs hosts; null where it runs none. */
  readonly carries: string | null;
}

export interface ClusterShard {
  readonly shard: number;
  /** The thread of this node that has it; null where none does. */
  readonly host: string | null;
  /** Node, process and thread that claimed it. */
  readonly owner: string | null;
  readonly epoch: number;
  /** Entries: the newest, the newest that a writer knew to be durable, and up to which they may be gone. */
  readonly last: number;
  readonly confirmed: number;
  readonly trimmed: number;
  /** The entry up to which the newest copy has all, when it was made, and how many entries lie behind it. */
  readonly copy: number | null;
  readonly copied_at: string | null;
  readonly behind: number;
}

export const FINDING_STATES = ['ok', 'warning', 'fault'] as const;

export interface ClusterDatabase {
  /** Hosts and database, without user and password. */
  readonly name: string;
  /** Of the log; null where the database does not say. */
  readonly bytes: number | null;
  /** As `skep cluster check` has them, those that need no write. */
  readonly findings: readonly {
    readonly check: string;
    readonly state: (typeof FINDING_STATES)[number];
    readonly detail: string;
    readonly mend: string;
  }[];
  /** Servers that copy the database. */
  readonly members: readonly {
    readonly name: string;
    readonly state: string | null;
    readonly sync: string | null;
    readonly behind_bytes: number | null;
  }[];
}

/** The log of the node in a database, with the nodes on it. */
export interface ClusterLog {
  /** This node, its lease and what is left of it. */
  readonly node: string;
  readonly lease_seconds: number;
  readonly lease_left_seconds: number;
  /** Since when it serves, the node for which it waited before, and why the place was free. */
  readonly since: string | null;
  readonly before: string | null;
  readonly why: (typeof TAKE_CAUSES)[number] | null;
  readonly reads: 'lease' | 'confirmed' | 'local';
  /** When the database said what follows; null where it never has. */
  readonly asked_at: string | null;
  /** Why what follows is old, or is not there. */
  readonly failed: string | null;
  readonly database: ClusterDatabase | null;
  readonly nodes: readonly ClusterMate[];
  readonly nodes_more: number;
  readonly shards: readonly ClusterShard[];
  readonly shards_more: number;
}

export interface NodeCluster {
  /** Null where files acknowledge. */
  readonly log: ClusterLog | null;
}

/** By weight. */
export const LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LineLevel = (typeof LINE_LEVELS)[number];

/** What is asked of the log of a thread. */
export interface LinesAsk {
  /** Milliseconds since 1970; lines of this moment are among the answer. */
  readonly since: number;
  /** The lowest level. */
  readonly level: LineLevel;
  readonly most: number;
}

/** A line as a thread keeps it. */
export interface KeptLine {
  /** Counts the lines of the thread. */
  readonly no: number;
  readonly at: number;
  readonly json: string;
}

export interface LogLine {
  /** The thread, and the number of the line there. */
  readonly id: string;
  readonly at: string;
  readonly level: string;
  readonly thread: string;
  readonly service: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface NodeLogs {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Threads that did not answer in time. */
  readonly silent: readonly string[];
}

/** The place of a tenant's data. */
export interface ServedPlace {
  readonly no: number;
  readonly shard: number;
}

/** For each place that was asked about, in its order. */
export type NodeTenants = readonly {
  /** The thread that has the shard. */
  readonly host: string | null;
  /** SHA-256 of the product's archive; null where none is served yet, or the host did not say in time. */
  readonly revision: string | null;
}[];

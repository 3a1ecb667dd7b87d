/** What the node says of itself: docs/contract/node.md §2, §4, §5, §6, §8, §9, §10. */
export interface Thread {
  readonly name: string;
  readonly state: 'serving' | 'still' | 'away';
  readonly since: string | null;
  readonly restarts: number;
  readonly quiet_ms: number;
}

export interface Host {
  readonly name: string;
  readonly shards: readonly number[];
  readonly tenants_awake: number;
  readonly waiting: number;
  readonly journal_bytes: number;
  readonly journal_syncs: number;
  readonly overlay_entries: number;
  readonly lag_records: number;
}

export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly ('draining' | 'no_host' | 'degraded')[];
  readonly version: string;
  readonly started_at: string;
  readonly threads: readonly Thread[];
  readonly spare: boolean;
  readonly hosts: readonly Host[];
  readonly journal_copy: {
    readonly copied_at: string | null;
    readonly failed: string | null;
    readonly gaps: number;
  } | null;
  readonly disk: { readonly free_bytes: number | null; readonly free_bytes_min: number };
  readonly degraded: readonly {
    readonly scope: string;
    readonly name: string;
    readonly reason: string;
    readonly since: string;
  }[];
  readonly degraded_more: number;
}

export interface Counts {
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly by_door: number;
  readonly mean_ms: number;
}

export interface Load {
  readonly minutes: number;
  readonly total: Counts;
  readonly tenants: readonly (Counts & { readonly tenant: string })[];
  readonly tenants_more: Counts;
  readonly routes: readonly (Counts & { readonly service: string; readonly route: string })[];
  readonly routes_more: Counts;
  readonly rates: readonly { readonly profile: string; readonly callers: number; readonly refused: number }[];
}

export interface ProfileBuckets {
  readonly profile: string;
  readonly off: boolean;
  readonly burst: number | null;
  readonly per_second: number | null;
  readonly source: 'file' | 'environment' | 'flag' | 'default' | null;
  readonly from: string | null;
  readonly routes: readonly string[];
  readonly callers: number;
  readonly callers_max: number;
  readonly taken: number;
  readonly spent: number;
  readonly refused: number;
  readonly overflowed: number;
  readonly tenants: readonly { readonly tenant: string | null; readonly refused: number; readonly over: number }[];
}

export interface Buckets {
  readonly profiles: readonly ProfileBuckets[];
}

export interface SlowRequest {
  readonly at: string;
  readonly ms: number;
  readonly status: number;
  readonly method: string;
  readonly route: string;
  readonly tenant: string | null;
  readonly request_id: string;
}

export interface Slow {
  readonly minutes: number;
  readonly requests: readonly SlowRequest[];
}

export interface Line {
  readonly id: string;
  readonly at: string;
  readonly level: string;
  readonly thread: string;
  readonly service: string;
  readonly message: string;
}

export interface Logs {
  readonly lines: readonly Line[];
  readonly silent: readonly string[];
}

export interface ClusterLog {
  readonly node: string;
  readonly lease_seconds: number;
  readonly lease_left_seconds: number;
  readonly since: string | null;
  readonly before: string | null;
  readonly why: 'given up' | 'ended' | 'silent' | 'own' | null;
  readonly reads: 'lease' | 'confirmed' | 'local';
  readonly asked_at: string | null;
  readonly failed: string | null;
  readonly database: {
    readonly name: string;
    readonly bytes: number | null;
    readonly findings: readonly {
      readonly check: string;
      readonly state: 'ok' | 'warning' | 'fault';
      readonly detail: string;
      readonly mend: string;
    }[];
    readonly members: readonly {
      readonly name: string;
      readonly state: string | null;
      readonly sync: string | null;
      readonly behind_bytes: number | null;
    }[];
  } | null;
  readonly nodes: readonly {
    readonly node: string;
    readonly state: 'serves' | 'stands by' | 'silent' | 'ended';
    readonly beat_seconds: number;
    readonly lease_seconds: number;
    readonly behind: number | null;
    readonly behind_seconds: number | null;
  }[];
  readonly nodes_more: number;
  readonly shards: readonly {
    readonly shard: number;
    readonly host: string | null;
    readonly owner: string | null;
    readonly epoch: number;
    readonly last: number;
    readonly confirmed: number;
    readonly trimmed: number;
    readonly copied_at: string | null;
    readonly behind: number;
  }[];
  readonly shards_more: number;
}

/** Null where the journal lies in files. */
export interface Cluster {
  readonly log: ClusterLog | null;
}

export interface FigurePoint {
  readonly at: string;
  readonly requests_per_second: number;
  readonly failed_per_second: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  readonly waiting: number;
  readonly lag_records: number;
  readonly loop_delay_ms: number;
  readonly heap_bytes: number;
  readonly rss_bytes: number;
}

/** Of the last hour, oldest first. */
export interface HourOfFigures {
  readonly every_seconds: number;
  readonly points: readonly FigurePoint[];
}

/** What the node says of itself (docs/contract/node.md): the answers of `GET /superadmin/node/…`. Made by `npm run generate`. */
export interface Backups {
  readonly backups: {
    readonly to: string;
    readonly every_seconds: number;
    readonly verify_every_seconds: number | null;
    readonly encrypted: boolean;
    readonly running_since: string | null;
    readonly next: string | null;
    readonly failed: string | null;
    readonly failed_at: string | null;
    readonly seen_at: string | null;
    readonly unseen: string | null;
    readonly sets: readonly {
      readonly id: string;
      readonly moment: string;
      readonly ended_at: string;
      readonly tenants: number;
      readonly bytes: number;
      readonly new_bytes: number;
      readonly encrypted: boolean;
      readonly fault: string | null;
    }[];
    readonly sets_more: number;
  } | null;
}

export interface Buckets {
  readonly profiles: readonly {
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
    readonly tenants: readonly {
      readonly tenant: string | null;
      readonly refused: number;
      readonly over: number;
    }[];
  }[];
}

export interface Cluster {
  readonly log: {
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
      readonly link: string | null;
      readonly linked: boolean | null;
      readonly carries: string | null;
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
      readonly copy: number | null;
      readonly copied_at: string | null;
      readonly behind: number;
    }[];
    readonly shards_more: number;
  } | null;
}

export interface Figures {
  readonly every_seconds: number;
  readonly points: readonly {
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
  }[];
}

export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly ('draining' | 'no_host' | 'degraded')[];
  readonly version: string;
  readonly started_at: string;
  readonly threads: readonly {
    readonly name: string;
    readonly state: 'serving' | 'still' | 'away';
    readonly since: string | null;
    readonly restarts: number;
    readonly quiet_ms: number;
  }[];
  readonly spare: boolean;
  readonly hosts: readonly {
    readonly name: string;
    readonly shards: readonly number[];
    readonly tenants_awake: number;
    readonly waiting: number;
    readonly journal_bytes: number;
    readonly journal_syncs: number;
    readonly overlay_entries: number;
    readonly lag_records: number;
  }[];
  readonly journal_copy: {
    readonly every_seconds: number;
    readonly copied_at: string | null;
    readonly failed: string | null;
    readonly gaps: number;
  } | null;
  readonly disk: {
    readonly free_bytes: number | null;
    readonly free_bytes_min: number;
  };
  readonly degraded: readonly {
    readonly scope:
      | 'host'
      | 'thread'
      | 'tenant'
      | 'part'
      | 'route'
      | 'shard'
      | 'journal'
      | 'log'
      | 'disk'
      | 'clock'
      | 'descriptors'
      | 'backup'
      | 'certificate';
    readonly name: string;
    readonly reason: string;
    readonly concerns?: 'all';
    readonly since: string;
  }[];
  readonly degraded_more: number;
}

export interface Load {
  readonly minutes: number;
  readonly total: {
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
    readonly by_door: number;
    readonly mean_ms: number;
  };
  readonly statuses: readonly {
    readonly status: number;
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
    readonly by_door: number;
    readonly mean_ms: number;
  }[];
  readonly tenants: readonly {
    readonly tenant: string;
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
    readonly by_door: number;
    readonly mean_ms: number;
  }[];
  readonly tenants_more: {
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
    readonly by_door: number;
    readonly mean_ms: number;
  };
  readonly routes: readonly {
    readonly service: string;
    readonly route: string;
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
    readonly by_door: number;
    readonly mean_ms: number;
  }[];
  readonly routes_more: {
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
    readonly by_door: number;
    readonly mean_ms: number;
  };
  readonly rates: readonly {
    readonly profile: string;
    readonly callers: number;
    readonly refused: number;
    readonly overflowed: number;
  }[];
}

export interface Logs {
  readonly lines: readonly {
    readonly id: string;
    readonly at: string;
    readonly level: string;
    readonly thread: string;
    readonly service: string;
    readonly message: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }[];
  readonly silent: readonly string[];
}

export interface Slow {
  readonly minutes: number;
  readonly requests: readonly {
    readonly at: string;
    readonly ms: number;
    readonly status: number;
    readonly method: string;
    readonly route: string;
    readonly service: string;
    readonly tenant: string | null;
    readonly by_door: boolean;
    readonly request_id: string;
  }[];
}

export interface Vault {
  readonly vault: {
    readonly failed: string | null;
    readonly state: {
      readonly ready: boolean;
      readonly reasons: readonly string[];
      readonly seal: {
        readonly sealed: boolean;
        readonly kind: 'key' | 'shamir' | 'none';
        readonly initialized: boolean;
        readonly threshold: number | null;
        readonly shares: number | null;
        readonly progress: number | null;
      };
      readonly backend: {
        readonly kind: string;
        readonly reachable: boolean;
      };
      readonly papers: {
        readonly nodes: readonly {
          readonly name: string;
          readonly state: 'active' | 'evicted' | 'banned';
          readonly joined_at: string;
          readonly renewed_at: string;
          readonly until: string | null;
        }[];
        readonly nodes_more: boolean;
        readonly join_tokens: {
          readonly open: number;
          readonly spent: number;
          readonly expired: number;
          readonly last_end: string | null;
        };
        readonly join_tokens_more: boolean;
        readonly ending_days: number;
        readonly ending: readonly {
          readonly kind: 'service' | 'node' | 'workload' | 'operator';
          readonly name: string;
          readonly until: string;
        }[];
        readonly ending_more: boolean;
      } | null;
    } | null;
  } | null;
}

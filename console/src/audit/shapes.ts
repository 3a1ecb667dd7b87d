/** What the node says of its audit logs: docs/contract/audit.md §2.2, §4.2. */
export interface AuditRecord {
  readonly id: string;
  readonly seq: number;
  readonly ts: string;
  readonly tenant: string;
  readonly source: string;
  readonly source_seq: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly request_id: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly personal_sha256?: string;
}

export interface RecordsPage {
  /** In the order of the log. */
  readonly records: readonly AuditRecord[];
  readonly size: number;
  /** Where the next query goes on; null at the end. */
  readonly next: number | null;
  readonly personal: Readonly<Record<string, { readonly ip?: string; readonly email?: string }>>;
}

export interface Log {
  readonly log_id: string;
  readonly origin: string;
  readonly durability: 'strict' | 'batched' | 'async';
  readonly size: number;
  readonly root: string;
  readonly lost: number;
  readonly public_key: string;
  readonly verifier_key: string;
  readonly refused: string | null;
  /** Of the newest record under the checkpoint. */
  readonly newest_at: string | null;
  readonly copies: Peers;
  readonly witnesses: Peers;
  /** Null where nothing is scrubbed. */
  readonly scrub: {
    readonly round_ended_at: string | null;
    /** Null before the first whole look since the node started. */
    readonly faults: number | null;
  } | null;
}

/** Copies or witnesses of a log. */
export interface Peers {
  readonly count: number;
  /** Of the one furthest behind; null before the first look at them. */
  readonly behind_seconds: number | null;
}

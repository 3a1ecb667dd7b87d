/** What the node says of its audit logs: docs/contract/audit.md §2.2, §4. */
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
}

/** Locks, seeds and retention of a tenant: docs/contract/data-admin.md §4, §5, §6. */
export interface Lock {
  readonly resource: string;
  readonly holder_id: string;
  readonly op_kind: string;
  readonly acquired_at: string;
  readonly expires_at: string;
  readonly hostname: string;
}

export interface Seed {
  readonly name: string;
  readonly entity: string;
  readonly source: string;
  readonly strategy: string;
  readonly status: string;
  readonly applied_at?: string;
  readonly error?: string;
}

export interface SeedOutcome {
  readonly Name: string;
  readonly Status: 'applied' | 'skipped' | 'failed';
  readonly Reason: string;
  readonly Rows: number;
}

export interface SeedRun {
  readonly dry_run: boolean;
  readonly outcomes: readonly SeedOutcome[];
}

export interface Kept {
  readonly entity: string;
  readonly pii_fields: readonly string[];
  /** Durations as the node writes them; empty where the entity has no retention. */
  readonly retention: {
    readonly active?: string;
    readonly archive?: string;
    readonly archive_to?: string;
    readonly age_field?: string;
  };
}

/** From entity to phase to count. */
export type Eligible = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface RetentionRun {
  readonly total_applied: number;
  readonly total_failed: number;
}

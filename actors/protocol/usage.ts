/** What a tenant has used, as threads tell it one another and the control plane keeps it (docs/contract/tenants.md §2). */
export interface UsageRow {
  /** UTC: `2026-11-25`. */
  readonly day: string;
  /** The tenant's key. */
  readonly tenant: string;
  readonly requests: number;
  readonly mails: number;
  readonly webhooks: number;
}

/** What a tenant may use within a day; absent where nothing bounds it. */
export interface Quota {
  readonly requests: number;
}

/** One page of stored usage, in the order of days and tenants. */
export interface UsagePage {
  readonly rows: readonly UsageRow[];
  /** The row to go on after; null at the end. */
  readonly next: Pick<UsageRow, 'day' | 'tenant'> | null;
}

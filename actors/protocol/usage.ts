/** What a tenant has used, as threads tell it one another and the control plane keeps it (docs/contract/tenants.md §2), and what it may use (§3). */

/** What is added up over a day and over a month. */
export const COUNTED = ['requests', 'processor_ms', 'mails', 'webhooks', 'outside_calls'] as const;
export type Counted = (typeof COUNTED)[number];
export type Counts = Readonly<Record<Counted, number>>;

/** What a tenant has at a moment: the record of a day holds the most that was seen on it. */
export const KEPT = ['rows', 'bytes'] as const;
export type Kept = (typeof KEPT)[number];
/** The same of files in its stores, which are counted where a quota bounds them, and have no record. */
export type Held = Kept | 'file_bytes';

export interface UsageRow extends Counts, Readonly<Record<Kept, number>> {
  /** UTC: `2026-11-25`. */
  readonly day: string;
  /** The tenant's key. */
  readonly tenant: string;
}

/** What a tenant has used in a month so far, for its quotas. */
export interface MonthRow extends Counts {
  /** UTC: `2026-11`. */
  readonly month: string;
  readonly tenant: string;
}

export type Per = 'day' | 'month';

/** The names of quotas: by what they bound, and within which time; those of the present state have none. */
export const QUOTAS = {
  requests: { of: 'requests', per: 'day' },
  requests_month: { of: 'requests', per: 'month' },
  processor_ms: { of: 'processor_ms', per: 'day' },
  processor_ms_month: { of: 'processor_ms', per: 'month' },
  mails: { of: 'mails', per: 'day' },
  mails_month: { of: 'mails', per: 'month' },
  webhooks: { of: 'webhooks', per: 'day' },
  webhooks_month: { of: 'webhooks', per: 'month' },
  outside_calls: { of: 'outside_calls', per: 'day' },
  outside_calls_month: { of: 'outside_calls', per: 'month' },
  rows: { of: 'rows', per: null },
  bytes: { of: 'bytes', per: null },
  file_bytes: { of: 'file_bytes', per: null },
} as const satisfies Record<string, { readonly of: Counted | Held; readonly per: Per | null }>;

export type QuotaName = keyof typeof QUOTAS;

/** What a tenant may use; what is absent is not bounded. A name without `_month` is of a day, or of the present state. */
export type Quota = { readonly [N in QuotaName]?: number };

/** One page of stored usage, in the order of days and tenants. */
export interface UsagePage {
  readonly rows: readonly UsageRow[];
  /** The row to go on after; null at the end. */
  readonly next: Pick<UsageRow, 'day' | 'tenant'> | null;
}

/** One page of a month, in the order of tenants. */
export interface MonthPage {
  readonly rows: readonly MonthRow[];
  readonly next: string | null;
}

/** What a host has counted of a tenant since it was asked last, and what the tenant has now; null where that is not known, since it sleeps. */
export interface HostUsage {
  readonly tenantNo: number;
  readonly processorMs: number;
  readonly outsideCalls: number;
  readonly kept: Readonly<Record<Kept, number>> | null;
  /** Bytes of files in its stores; null while they were not counted. */
  readonly fileBytes: number | null;
}

/** How many more calls outside a tenant may make, from what its host reported last. */
export interface OutsideLeft {
  readonly tenantNo: number;
  readonly left: number;
}

/** Nothing. */
export const noCounts = (): Record<Counted, number> => ({
  requests: 0,
  processor_ms: 0,
  mails: 0,
  webhooks: 0,
  outside_calls: 0,
});

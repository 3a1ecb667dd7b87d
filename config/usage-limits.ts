/** Numbers of what tenants use and may use (docs/contract/tenants.md). */
export const usageLimits = {
  /** How often what tenants have used is stored: a crash loses at most that. */
  flushMs: 10_000,
  /** How long a flush waits for what hosts have counted: an answer that comes later is in the next one. */
  hostWaitMs: 2000,
  /** Records that one turn of the control plane reads or writes. */
  pageRows: 250,
  keptDays: 400,
  /** Quotas that have a series of their own in the metrics. */
  seriesMax: 50,
} as const;

/** What works less than it should, as threads report it to main, and as the operations listener lists it (runtime/observe/degraded.ts). */

/** What can be degraded. The list is closed: each is a label of a metric. */
export const DEGRADED_SCOPES = [
  'host',
  'thread',
  'tenant',
  'part',
  'route',
  'shard',
  'journal',
  'log',
  'disk',
  'clock',
  'descriptors',
  'backup',
  'certificate',
] as const;
export type DegradedScope = (typeof DEGRADED_SCOPES)[number];

/** Names one entry: a later report of the same key takes the place of the one before. */
export interface DegradedKey {
  readonly scope: DegradedScope;
  /** What it is, as an operator looks for it: `host-0`, a tenant's key, `acme:dev:shop:main rest/item`, the id of a log. */
  readonly name: string;
}

export interface DegradedReport extends DegradedKey {
  /** What happened, what it means and how to mend it, in one or two sentences; no secret, and nothing that a caller sent. */
  readonly reason: string;
  /** `all`: no request can be served, and `/readyz` says 503. Left out, it concerns what `name` names, and `/readyz` stays 200. */
  readonly concerns?: 'all';
  /** The key of the tenant that it belongs to: the entry goes with the tenant. */
  readonly tenant?: string;
  /**
   * `thread`: the entry goes with the thread that reported it, since its successor starts without the fault (it was in memory). `cleared`:
   * it stays until it is cleared (a fault on the disk, which a restart does not mend).
   */
  readonly lasts: 'thread' | 'cleared';
}

/** A new report, or one that is cleared. */
export type DegradedNews = { readonly put: DegradedReport } | { readonly gone: DegradedKey };

/** What a room is given to report with. Both may be repeated: only a change is logged. */
export interface Degraded {
  report(entry: DegradedReport): void;
  /** The fault is gone. */
  clear(scope: DegradedScope, name: string): void;
}

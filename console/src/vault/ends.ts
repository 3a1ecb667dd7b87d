/** Certificates of the node's names as the log of the node has them: docs/contract/platform.md §3. Pure. */
import type { AuditRecord } from '../audit/shapes.ts';

export type Nearness = 'well' | 'soon' | 'over';

export interface Certificate {
  readonly name: string;
  /** When the one that was issued last ends. */
  readonly until: string;
  readonly issued: string;
  readonly nearness: Nearness;
}

const DAY_MS = 24 * 60 * 60_000;
/** A certificate of 90 days is renewed 30 days before its end: one that is nearer was not. */
const SOON_MS = 21 * DAY_MS;

/** The last one of each name, the next to end first. `records`: newest first. */
export function certificatesOf(records: readonly AuditRecord[], now: number): readonly Certificate[] {
  const found = new Map<string, Certificate>();
  for (const { action, target, ts, data = {} } of records) {
    const { until } = data;
    if (action !== 'platform.certificate.issue' || typeof until !== 'string' || found.has(target)) continue;
    found.set(target, { name: target, until, issued: ts, nearness: nearnessOf(Date.parse(until) - now) });
  }
  return [...found.values()].toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until));
}

const nearnessOf = (leftMs: number): Nearness => (leftMs <= 0 ? 'over' : leftMs < SOON_MS ? 'soon' : 'well');

/**
 * A log is read from its end: the node gives records in order from a number on, so a page asks for windows, the newest first. Pure. How many records a query gives and reads: docs/contract/audit.md §4.
 */
import type { AuditRecord, RecordsPage } from './shapes.ts';

/** What one query gives at most. */
const GIVEN_MAX = 1000;
/** What one query with a filter reads at most. */
const READ_MAX = 10_000;
/** A page without a filter. */
const PAGE = 100;
/** A search stops here and says how far it has come, however few it has found. */
const ASKS_MAX = 10;

export type AskRecords = (from: number, limit: number) => Promise<RecordsPage>;

export interface Walked {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  readonly personal: RecordsPage['personal'];
  /** The first record that was read; 0 at the beginning of the log. */
  readonly from: number;
}

/** The records before `end` that fit, newest first: some at least, or none in the last windows. */
export async function walkBack(end: number, isFiltered: boolean, ask: AskRecords): Promise<Walked> {
  const found: AuditRecord[] = [];
  const personal: Record<string, { ip?: string; email?: string }> = {};
  let wide = isFiltered ? READ_MAX : PAGE;
  let upTo = end;
  for (let asks = 0; asks < ASKS_MAX && upTo > 0 && found.length < PAGE; asks++) {
    const from = Math.max(0, upTo - wide);
    const page = await ask(from, isFiltered ? GIVEN_MAX : upTo - from);
    // More fit than one answer holds, and those that are missing are the newest: a narrow window cannot have that.
    if (isFiltered && wide > GIVEN_MAX && page.next !== null && page.next < upTo) {
      wide = GIVEN_MAX;
      continue;
    }
    found.push(...page.records.filter(({ seq }) => seq < upTo).toReversed());
    Object.assign(personal, page.personal);
    // Records below the first one were pruned.
    const isPruned = !isFiltered && (page.records[0]?.seq ?? 0) > from;
    upTo = isPruned ? 0 : from;
  }
  return { records: found, personal, from: upTo };
}

/** The newest record of a source: a source that lost its state learns from it how far it had come. */
import { limits } from '#config/limits.ts';
import type { AuditEvent, LastWord } from '#actors/protocol/audit.ts';
import type { LogBook } from './log-book.ts';

/**
 * The signed record with the latest time that matches the question; null where there is none. Only the most recently written logs are opened. A log
 * that must not be written is searched, too.
 */
export async function newestRecord(
  book: LogBook,
  asked: LastWord,
  mayRead: (id: string) => boolean = () => true,
): Promise<AuditEvent | null> {
  const ids = book.ids().filter((id) => id.startsWith(asked.prefix) && mayRead(id));
  const times = new Map(ids.map((id) => [id, book.writtenMs(id)]));
  const recent = ids.toSorted((a, b) => times.get(b)! - times.get(a)!).slice(0, limits.audit.newestLogsMax);
  let newest: AuditEvent | null = null;
  for (const id of recent) {
    const found = await lastOf(book, id, asked);
    if (found !== null && (newest === null || timeOf(found) > timeOf(newest))) newest = found;
  }
  return newest;
}

/** The source's own time: an event that waited in its spool arrives late. */
const timeOf = ({ ts, event_ts }: AuditEvent): string => event_ts ?? ts;

async function lastOf(book: LogBook, id: string, { source, member }: LastWord): Promise<AuditEvent | null> {
  const log = await book.openToRead(id);
  const size = log.head?.size ?? 0;
  const from = Math.max(0, size - limits.audit.newestRecordsMax);
  const entries = await log.records(from, size - from);
  const events = entries.map((entry) => JSON.parse(entry.toString()) as AuditEvent);
  return events.findLast((event) => event.source.startsWith(source) && member in (event.data ?? {})) ?? null;
}

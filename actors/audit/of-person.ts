/** What a log holds of one person, for an export, and the end of the person's lines beside it. The signed records stay, and verify. */
import { limits } from '#config/limits.ts';
import type { PersonRecords } from '#actors/protocol/person.ts';
import type { LogBook } from './log-book.ts';
import { firstKept } from './prune.ts';
import { personalOf } from './query.ts';

/** Records that name the user as actor, subject or target, with their personal lines: members of a JSON object each. */
export async function recordsOfPerson(
  book: LogBook,
  logId: string,
  user: string,
  from: number,
): Promise<PersonRecords> {
  const log = await book.open(logId);
  const size = log.head?.size ?? 0;
  const at = Math.max(from, await firstKept(log.files));
  const entries = await log.records(at, limits.privacy.recordsScanned);
  const found = entries.map((entry) => entry.toString()).filter((text) => text.includes(user) && names(text, user));
  const personal = await log.personal.find(personalOf(found));
  const records = found.map((text) => {
    const { personal_sha256: sha256 } = JSON.parse(text) as { readonly personal_sha256?: string };
    const line = sha256 === undefined ? undefined : personal.get(sha256);
    return `"value":${text}${line === undefined ? '' : `,"personal":${JSON.stringify(line)}`}`;
  });
  const next = at + entries.length;
  return { records, next: entries.length > 0 && next < size ? next : null };
}

function names(text: string, user: string): boolean {
  const { actor, subject, target } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return actor === user || subject === user || target === user;
}

/** Erases the lines of an address; the log records how many, and not whose. */
export async function forgetPerson(book: LogBook, logId: string, email: string): Promise<number> {
  const log = await book.open(logId);
  const erased = await log.personal.erase({ email });
  await log.append([book.ownEvent(log, 'audit.personal.erased', { by: ['email'], erased })], 'strict');
  return erased;
}

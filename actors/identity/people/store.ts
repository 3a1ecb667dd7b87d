/**
 * The index of a tenant's users: by the beginnings of e-mail address and names, and the users who administer the tenant. Every write of a user
 * changes it in the same commit; users of before it are added by build-index.ts.
 */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export interface TermEntry {
  /** Folded, and cut to `termCharsMax`. */
  readonly term: string;
  readonly id: string;
}

/** What the index reads of a user's record. */
interface IndexedUser {
  readonly id: string;
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly roles: readonly string[];
  readonly disabled_at?: string;
}

interface Progress {
  /** The last user that was added; null when all are. */
  readonly after: string | null;
}

const terms = new Table<TermEntry>('user_index', TABLES.user_index);
const admins = new Table<{ readonly id: string }>('user_index', TABLES.user_index);
const built = new Table<Progress>('user_index', TABLES.user_index);

const ADMINISTRATORS: ReadonlySet<string> = new Set(['tenant_admin', 'superadmin']);

/** Whether the user can administer the tenant now. */
export function administers({ roles, disabled_at }: IndexedUser): boolean {
  return disabled_at === undefined && roles.some((role) => ADMINISTRATORS.has(role));
}

/** A text as searches compare it: without case, and with one spelling for each accented letter. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Of three texts a search costs less than a set. */
const distinct = (texts: readonly string[]): string[] => texts.filter((text, at) => texts.indexOf(text) === at);

/** The texts whose beginnings find the user: the address, the full name, the last name. */
export function termsOf({ email, firstname, lastname }: IndexedUser): string[] {
  const names = [[firstname, lastname].filter(Boolean).join(' '), lastname ?? ''];
  return distinct([email, ...names].map(folded)).filter((term) => term !== '');
}

export const cut = (term: string): string => term.slice(0, limits.people.termCharsMax);

/** Stages what the index says of a user after a write; undefined stands for no user. Repeating it changes nothing. */
export function keepIndex(turn: Turn, before: IndexedUser | undefined, after: IndexedUser | undefined): void {
  const now = after === undefined ? [] : distinct(termsOf(after).map(cut));
  const was = before === undefined ? [] : distinct(termsOf(before).map(cut));
  for (const term of was) if (!now.includes(term)) terms.del(turn, 'term', term, before!.id);
  for (const term of now) if (!was.includes(term)) terms.put(turn, { term, id: after!.id }, 'term', term, after!.id);
  const did = before !== undefined && administers(before);
  const does = after !== undefined && administers(after);
  if (did && !does) admins.del(turn, 'admin', before.id);
  if (does && !did) admins.put(turn, { id: after.id }, 'admin', after.id);
}

/** Entries whose term begins with `start`, in the order of terms; from the entry `from` on, which may be gone. Leave it by for-of. */
export function* entriesOf(reader: Reader, start: string, from: TermEntry | null): IterableIterator<TermEntry> {
  const parts = from === null ? ['term', start] : ['term', from.term, from.id];
  for (const entry of terms.scanFrom(reader, parts)) {
    if (!entry.term.startsWith(start)) return;
    yield entry;
  }
}

/** Whether another user can administer the tenant. */
export function hasOtherAdministrator(reader: Reader, id: string): boolean {
  for (const admin of admins.scan(reader, ['admin'])) if (admin.id !== id) return true;
  return false;
}

/** How far the index of users of before it has come; undefined where it was not begun. */
export const indexProgress = (reader: Reader): Progress | undefined => built.get(reader, 'built');

export function putIndexProgress(turn: Turn, progress: Progress): void {
  built.put(turn, progress, 'built');
}

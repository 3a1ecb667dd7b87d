/** The table of guests, by the end of their time. It lies apart from the users, because a refresh writes it, also where the tenant is read-only. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export type { Turn } from '#storage/port.ts';

interface Kept {
  readonly id: string;
  /** RFC 3339. */
  readonly until: string;
}

const ends = new Table<Kept>('guest', TABLES.guest);
const guests = new Table<Kept>('guest', TABLES.guest);
const counts = new Table<{ readonly guests: number }>('guest', TABLES.guest);

export function guestCount(reader: Reader): number {
  return counts.get(reader, 'count')?.guests ?? 0;
}

/** Until when the guest is kept; undefined for a user who is none. */
export function keptUntil(reader: Reader, id: string): string | undefined {
  return guests.get(reader, 'of', id)?.until;
}

/** Stages until when the guest is kept; a new one is counted. */
export function putGuest(turn: Turn, id: string, until: string): void {
  const before = keptUntil(turn, id);
  if (before === undefined) counts.put(turn, { guests: guestCount(turn) + 1 }, 'count');
  else ends.del(turn, 'at', before, id);
  ends.put(turn, { id, until }, 'at', until, id);
  guests.put(turn, { id, until }, 'of', id);
}

/** Stages that the user is no guest any more; does nothing for another user. */
export function forgetGuest(turn: Turn, id: string): void {
  const before = keptUntil(turn, id);
  if (before === undefined) return;
  ends.del(turn, 'at', before, id);
  guests.del(turn, 'of', id);
  counts.put(turn, { guests: Math.max(0, guestCount(turn) - 1) }, 'count');
}

/** Ids of guests whose time is over, the longest over first. */
export function guestsOver(reader: Reader, now: string, max: number): string[] {
  const over: string[] = [];
  for (const { id, until } of ends.scan(reader, ['at'])) {
    if (until > now || over.length === max) break;
    over.push(id);
  }
  return over;
}

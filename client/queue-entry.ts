/** Writes that wait in a queue on this machine, and what is decided about them without sending anything. */
import { KEY_KEPT_MS } from './limits.ts';
import type { Failure } from './errors.ts';

/** A write before it has a number. */
export interface NewEntry {
  /** The tenant and the user that it is of: sent under no other credential. */
  readonly owner: string;
  /** When it was written, by the clock of this machine. */
  readonly at: number;
  readonly entity: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The JSON that leaves, the same in each attempt: the node compares it under the key. */
  readonly body: string | null;
  /** Its Idempotency-Key is among them, and its `If-Match`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The rows that it creates or changes, as far as the client knows. */
  readonly ids: readonly string[];
  /** Whether all of them were made here at random, so that no other row can have them. */
  readonly isMade: boolean;
  /** The clock of this machine at the first attempt and at the last; null before it. */
  readonly triedAt: number | null;
  readonly lastAt: number | null;
  /** Answers of 500 and the like. */
  readonly faults: number;
  /** `asks`: whether it was carried out cannot be known. `refused`: it was not. Both wait for `keep` or `drop`. */
  readonly state: 'pending' | 'asks' | 'refused';
  /** Of a pending one: what something else than the node has answered to it. */
  readonly error: Failure | null;
}

export interface Entry extends NewEntry {
  /** Entries leave in the order of their numbers. */
  readonly number: number;
}

/** Names an entry on this machine: the numbers of each owner begin anew. */
export const nameOf = ({ owner, number }: Pick<Entry, 'owner' | 'number'>): string => `${owner} ${number}`;

/** The most entries and bytes of one owner. */
export interface Bounds {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/** Keys are not trusted in their last two hours: an attempt takes time, and a clock may have been set back. */
const MARGIN_MS = 2 * 60 * 60_000;

/** Whether the node may have forgotten the key of an attempt. A clock that was set back says nothing of how much time has passed. */
export function isStale({ triedAt, lastAt }: NewEntry, now: number): boolean {
  return triedAt !== null && (now - triedAt >= KEY_KEPT_MS - MARGIN_MS || now < lastAt!);
}

/** Whether a second time can do no harm although the key is forgotten: the row is there already, or has another version than it had. */
export const isSafeAgain = ({ isMade, headers }: NewEntry): boolean => isMade || headers['If-Match'] !== undefined;

/** Whether an entry writes a row of an earlier one, or names it. */
export const dependsOn = ({ ids, body }: NewEntry, earlier: NewEntry): boolean =>
  earlier.ids.some((id) => ids.includes(id) || body?.includes(JSON.stringify(id)));

/** So long an entry is put aside to which something else than the node has answered. */
const ASIDE_MS = 60_000;

/** Those that can leave: neither they nor an earlier one on which they depend wait for the user, or are put aside. */
export function readyOf(entries: readonly Entry[], now: number = Infinity): readonly Entry[] {
  const held: Entry[] = [];
  return entries.filter((entry) => {
    const isAside = entry.error !== null && Math.abs(now - entry.lastAt!) < ASIDE_MS;
    const isReady = entry.state === 'pending' && !isAside && !held.some((earlier) => dependsOn(entry, earlier));
    if (!isReady) held.push(entry);
    return isReady;
  });
}

/** Whether one more would be too many for its owner, or too large. */
export const isFull = (held: readonly NewEntry[], one: NewEntry, { entriesMax, bytesMax }: Bounds): boolean =>
  held.length >= entriesMax || new Blob([JSON.stringify([...held, one])]).size > bytesMax;

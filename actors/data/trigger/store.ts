/** Tables of triggers: events that wait, events that have ended without success, and how many there are. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Packing } from '#storage/table.ts';
import type { Reader, Store, Turn } from '#storage/port.ts';
import type { FiredEvent } from '#actors/protocol/turn-owner.ts';

export type { Reader, Store, Turn } from '#storage/port.ts';

/**
 * What happened to a row. What leaves of the row is read when the event leaves, so that nothing of it is kept here. `due` is the event of a cron
 * trigger and `submitted` that of a submission, whose id it has. Both are about no row: their entity is empty, their key null.
 */
export interface TriggerEntry extends Omit<FiredEvent, 'event'> {
  readonly id: string;
  readonly event: FiredEvent['event'] | 'due' | 'submitted';
  /** When the change was made; of a time, when it was noticed. */
  readonly at: string;
  /** The time of the schedule, where the event is one. */
  readonly due?: string;
  /** How many triggers led to the change, this one included. */
  readonly depth: number;
  /** `traceparent` of the request that made the change, where it was traced. */
  readonly trace?: string;
  /** Of a script that failed: how often it ran, when it runs again (milliseconds since the epoch), and why it failed. */
  readonly attempts?: number;
  readonly next_ms?: number;
  readonly error?: string;
}

export type TriggerOutcome = 'refused' | 'failed' | 'dropped';

/** How an event ended. */
export interface Ending {
  readonly outcome: 'delivered' | TriggerOutcome;
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
}

export interface TriggerRecord extends Omit<TriggerEntry, 'trace' | 'next_ms' | 'attempts' | 'error'> {
  readonly outcome: TriggerOutcome;
  readonly attempts: number;
  /** Of the receiver's last answer; null where it gave none. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ended_at: string;
}

export interface TriggerCount {
  readonly waiting: number;
  /** Since the tenant was made here: events that found no room or were too deep, that succeeded, that ended otherwise. */
  readonly dropped: number;
  readonly delivered: number;
  readonly failed: number;
}

export interface StoredCount extends TriggerCount {
  /** The newest event that is counted; counts that were written before there were marks have none. */
  readonly newest?: string;
}

/**
 * A new event of a row is a line of text, which takes half the time of an object: each row of an entity with a trigger writes one. Its parts have no
 * line breaks but the last one, the row's id: `=` and a text, or JSON. Other events are objects, as all were in version 1.
 */
const packing: Packing<TriggerEntry> = {
  pack(entry) {
    const { id, trigger, kind, entity, event, key, version, at, depth, due, trace, attempts } = entry;
    if (due !== undefined || trace !== undefined || attempts !== undefined) return entry;
    const shown = typeof key === 'string' ? `=${key}` : JSON.stringify(key);
    return `${id}\n${trigger}\n${kind}\n${entity}\n${event}\n${version}\n${at}\n${depth}\n${shown}`;
  },
  unpack: (stored) => (typeof stored === 'string' ? entryOfLine(stored) : (stored as TriggerEntry)),
};

const PARTS_BEFORE_KEY = 8;

function entryOfLine(line: string): TriggerEntry {
  const parts = line.split('\n', PARTS_BEFORE_KEY);
  const [id, trigger, kind, entity, event, version, at, depth] = parts as [
    string,
    string,
    never,
    string,
    never,
    ...string[],
  ];
  const shown = line.slice(parts.reduce((sum, part) => sum + part.length + 1, 0));
  const key: unknown = shown.startsWith('=') ? shown.slice(1) : JSON.parse(shown);
  return { id, trigger, kind, entity, event, key, version: Number(version), at: at!, depth: Number(depth) };
}

const table = new Table('trigger_outbox', TABLES.trigger_outbox, packing);

/** Events that have not ended, by what they lead to. */
export const eventRows = {
  webhook: { table, under: ['webhook'] },
  mail: { table, under: ['mail'] },
  script: { table, under: ['script'] },
} as const;

const log = new Table<TriggerRecord>('trigger_log', TABLES.trigger_log);
const count = new Table<StoredCount>('trigger_count', TABLES.trigger_count);
const mark = new Table<string>('trigger_count', TABLES.trigger_count);
const logged = new Table<number>('trigger_count', TABLES.trigger_count);

/** No trigger has the empty name. */
const OF_LOG = '';
const MARK = [OF_LOG, 'mark'] as const;

export const storedCount = (reader: Reader, trigger: string): StoredCount | undefined => count.get(reader, trigger);
export const putCount = (turn: Turn, trigger: string, value: StoredCount): void => count.put(turn, value, trigger);

/** The event up to which counts are stored: none behind it may be missing in them. Undefined where there were none since counts are marked. */
export const countMark = (reader: Reader): string | undefined => mark.get(reader, ...MARK);
export const putCountMark = (turn: Turn, id: string): void => mark.put(turn, id, ...MARK);

/** Events that wait, of every kind, with newer ids. */
export function* entriesBehind(reader: Reader, id: string): IterableIterator<TriggerEntry> {
  for (const { under } of Object.values(eventRows))
    for (const entry of table.scanFrom(reader, [...under, id])) {
      if (entry.kind !== under[0]) break;
      if (entry.id > id) yield entry;
    }
}

const loggedOf = (reader: Reader): number => logged.get(reader, OF_LOG) ?? 0;
const putLogged = (turn: Turn, value: number): void => logged.put(turn, value, OF_LOG);

export const findRecord = (reader: Reader, id: string): TriggerRecord | undefined => log.get(reader, id);

/** Oldest first; newest first when `reverse`. */
export const scanRecords = (reader: Reader, reverse: boolean): IterableIterator<TriggerRecord> =>
  log.scan(reader, [], reverse);

/** Adds a record, and removes the oldest ones past the bound. */
export function putRecord(turn: Turn, record: TriggerRecord, most: number): void {
  const again = findRecord(turn, record.id) !== undefined;
  let held = loggedOf(turn) + (again ? 0 : 1);
  log.put(turn, record, record.id);
  const gone: string[] = [];
  for (const { id } of held > most ? scanRecords(turn, false) : []) {
    gone.push(id);
    if (--held <= most) break;
  }
  for (const id of gone) log.del(turn, id);
  putLogged(turn, held);
}

/** False where there is no such record. */
export function dropRecord(turn: Turn, id: string): boolean {
  if (findRecord(turn, id) === undefined) return false;
  log.del(turn, id);
  putLogged(turn, Math.max(0, loggedOf(turn) - 1));
  return true;
}

/** Whether any event waits. */
export function hasEvents(store: Store): boolean {
  const turn = store.begin();
  const first = table.first(turn);
  turn.abort();
  return first !== undefined;
}

/** Whether scripts have events to run for, as far as the store tells without definitions. */
export function hasScriptEvents(store: Store): boolean {
  const turn = store.begin();
  const first = table.first(turn, eventRows.script.under);
  turn.abort();
  return first !== undefined;
}

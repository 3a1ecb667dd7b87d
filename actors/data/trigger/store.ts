/** Tables of triggers: events that wait, events that have ended without success, and how many there are. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
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
  /** The newest event that is counted; counts of a Skep that has no marks have none, or an older one. */
  readonly newest?: string;
  /** The four numbers once more: where they differ, a Skep without marks has written the count, and nothing is missing in it. */
  readonly marked?: string;
}

const table = new Table<TriggerEntry>('trigger_outbox', TABLES.trigger_outbox);

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
export const putCount = (turn: Turn, trigger: string, value: StoredCount): void =>
  count.put(turn, { ...value, marked: numbersOf(value) }, trigger);

/** Whether events behind the mark may be missing in the count. */
export const isMarked = (value: StoredCount): boolean => value.marked === numbersOf(value);

const numbersOf = ({ waiting, dropped, delivered, failed }: TriggerCount): string =>
  [waiting, dropped, delivered, failed].join(' ');

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

/** The tables of the change feed: the changes by their numbers, and the head that says how far they go. */
import { TABLES } from '#storage/catalogue.ts';
import { Corruption } from '#storage/fault.ts';
import { beyond } from '#storage/key.ts';
import type { Bytes, Lookup, Turn } from '#storage/port.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { untuple } from '#storage/untuple.ts';
import type { FedChange } from '#actors/protocol/turn-owner.ts';
import { schemaBytes } from '#actors/engine/schema/store.ts';

export type { Lookup, Turn } from '#storage/port.ts';

/** A change that is kept: both states of its row are encoded slots, null where subscribers see no row in that state. */
export interface ChangeEntry extends Omit<FedChange, 'op'> {
  readonly op: Exclude<FedChange['op'], 'lost'>;
  /** The number of the first change of the same commit. */
  readonly tx: number;
}

export interface ChangeHead {
  /** The number of the last change, or a later one. */
  readonly seq: number;
  /** Positions below it are too old: changes behind them are gone, or the definitions were other ones. */
  readonly floor: number;
  /** Changes that are kept, and their bytes. */
  readonly count: number;
  readonly bytes: number;
  /** A hash of the definitions and the schema by which the kept changes are read (log.ts). */
  readonly form: string;
}

const log = new Table<ChangeEntry>('change_log', TABLES.change_log);
const head = new Table<ChangeHead>('change_head', TABLES.change_head);
const CURRENT = 'current';
const TABLE_BYTES = 2;

export const findHead = (reader: Lookup): ChangeHead | undefined => head.get(reader, CURRENT);
export const putHead = (turn: Turn, value: ChangeHead): void => head.put(turn, value, CURRENT);

/** Stages a change; gives its bytes. */
export function putEntry(turn: Turn, seq: number, entry: ChangeEntry): number {
  const value = encodeRecord(TABLES.change_log.version, entry);
  turn.put(log.key(seq), value);
  return value.length;
}

/** Changes with higher numbers than `after`, in their order. Leave it by for-of. */
export function* entriesAfter(reader: Lookup, after: number): IterableIterator<{ seq: number; entry: ChangeEntry }> {
  for (const { parts, record } of log.entriesFrom(reader, [after + 1]))
    yield { seq: parts![0] as number, entry: record };
}

export interface EntrySize {
  readonly key: Bytes;
  readonly seq: number;
  readonly bytes: number;
}

/** The oldest changes with higher numbers than `after`, without what they hold. Leave it by for-of, and write nothing before. */
export function* oldestEntries(reader: Lookup, after: number): IterableIterator<EntrySize> {
  for (const { key, value } of reader.range(log.key(after + 1), beyond(log.key())))
    yield { key, seq: untuple(key.slice(TABLE_BYTES))![0] as number, bytes: value.length };
}

/** The stored schema as bytes, for the form of the changes. */
export const schemaOf = (reader: Lookup): Uint8Array => schemaBytes(reader) ?? new Uint8Array();

/** Whether a kept change, or a row, cannot be read. */
export const isCorruption = (error: unknown): boolean => error instanceof Corruption;

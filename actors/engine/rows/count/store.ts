/** The counts of entities: rows, deleted ones, and the bytes of their keys and values. Every write keeps them in its own commit, so that a total costs one read. */
import { TABLES } from '#storage/catalogue.ts';
import type { Bytes, Reader, Turn } from '#storage/port.ts';
import { decodeRecord, encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import { ownerOf } from '#actors/protocol/turn-owner.ts';
import { untuple } from '#storage/untuple.ts';
import { rowKey, tableRange } from '../keys/store.ts';

/** The length of a table's number at the start of a key. */
const TABLE_BYTES = 2;

export interface RowCount {
  readonly live: number;
  readonly deleted: number;
  /** Of the keys and values of the rows; absent in a record of before they were counted. */
  readonly bytes?: number;
  /** While rows of before are counted: the bytes are those of the rows up to this id. */
  readonly upTo?: Bytes;
}

/** The bytes of rows that a record without them has counted: none, up to no id. */
const UNCOUNTED = { bytes: 0, upTo: '' } as const;
const NO_ROWS: RowCount = { live: 0, deleted: 0, bytes: 0 };

/** By how much the bytes of a row change. */
export interface RowBytes {
  readonly id: Bytes;
  readonly bytes: number;
}

const counts = new Table<RowCount>('row_count', TABLES.row_count);
const decodeCount = (value: Uint8Array): RowCount => decodeRecord(value, 'row_count') as RowCount;

/** The counts of an entity's rows. Every write updates them in its turn, so that a total costs one read. */
export function rowCount(reader: Reader, table: number): RowCount {
  return reader.decoded(counts.key(table), decodeCount) ?? NO_ROWS;
}

/** The record of an entity's counts: its key and its bytes. */
export function countRecord(table: number, count: RowCount): readonly [key: Bytes, value: Uint8Array] {
  return [counts.key(table), encodeRecord(TABLES.row_count.version, count)];
}

export function dropCount(turn: Turn, table: number): void {
  const { live, deleted, bytes = 0 } = rowCount(turn, table);
  ownerOf(turn)?.grew(-live - deleted, -bytes);
  turn.del(counts.key(table));
}

/** Counts a change of one row in its turn; its bytes only where those of the row are counted already. */
export function addToCount(turn: Turn, table: number, live: number, deleted: number, row: RowBytes): void {
  const now = rowCount(turn, table);
  const { bytes, upTo } = now.bytes === undefined ? UNCOUNTED : { bytes: now.bytes, upTo: now.upTo };
  const more = upTo === undefined || row.id <= upTo ? row.bytes : 0;
  if (live === 0 && deleted === 0 && more === 0) return;
  ownerOf(turn)?.grew(live + deleted, more);
  const after = { live: now.live + live, deleted: now.deleted + deleted, bytes: bytes + more };
  const next: RowCount = upTo === undefined ? after : { ...after, upTo };
  turn.put(counts.key(table), encodeRecord(TABLES.row_count.version, next), next);
}

/** The counts of all entities of the tenant, added up. */
export function totalCount(reader: Reader): Required<Omit<RowCount, 'upTo'>> {
  const total = { live: 0, deleted: 0, bytes: 0 };
  for (const { live, deleted, bytes = 0 } of counts.scan(reader)) {
    total.live += live;
    total.deleted += deleted;
    total.bytes += bytes;
  }
  return total;
}

/** Tables whose bytes are not counted, or not all of them. */
export function uncounted(reader: Reader): number[] {
  const { from, to } = tableRange(TABLES.row_count.no);
  const tables: number[] = [];
  for (const { key, value } of reader.range(from, to)) {
    const { bytes, upTo } = decodeCount(value);
    const table = untuple(key.slice(TABLE_BYTES))?.[0];
    if ((bytes === undefined || upTo !== undefined) && typeof table === 'number') tables.push(table);
  }
  return tables;
}

/** Counts the bytes of some more rows; true when those of all rows are counted. */
export function countSome(turn: Turn, table: number, slice: Budget): boolean {
  const { live, deleted, ...counted } = rowCount(turn, table);
  const { bytes, upTo } = counted.bytes === undefined ? UNCOUNTED : { bytes: counted.bytes, upTo: counted.upTo };
  if (upTo === undefined) return true;
  const { from, to } = tableRange(table);
  let more = 0;
  let last: Bytes | undefined;
  for (const { key, value } of turn.range(upTo === '' ? from : `${rowKey(table, upTo)}\0`, to)) {
    more += key.length + value.length;
    if (!slice.spend(1)) continue;
    last = key.slice(TABLE_BYTES);
    break;
  }
  ownerOf(turn)?.grew(0, more);
  const next: RowCount = { live, deleted, bytes: bytes + more, ...(last === undefined ? {} : { upTo: last }) };
  turn.put(...countRecord(table, next));
  return last === undefined;
}

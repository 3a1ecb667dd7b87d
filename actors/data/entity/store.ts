/** Rows, index entries and counters of entities in the tenant's datastore. */
import { TABLES } from '#storage/catalogue.ts';
import type { Bytes, Reader, Turn } from '#storage/port.ts';
import { decodeRecord, encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { rowKey } from './keys/store.ts';
import type { KeyRange } from './keys/store.ts';
import type { Slots, StoredRow } from './codec.ts';

export type { Entry, Reader, Snapshot, Turn } from '#storage/port.ts';

/** Methods of Buffer that its types leave out: no encoding argument to look up. */
type ByteText = Buffer & { latin1Slice(from: number, to: number): Bytes };

const ROW_VERSION = 1;

interface RowCount {
  readonly live: number;
  readonly deleted: number;
}

const counts = new Table<RowCount>('row_count', TABLES.row_count);
const decodeCount = (value: Uint8Array): RowCount => decodeRecord(value, 'row_count') as RowCount;

/** What an entity knows of its rows: where they lie and how their bytes become slots. */
export interface RowTable {
  readonly table: number;
  readonly decode: (value: Uint8Array) => StoredRow;
}

/** The row under an id, or undefined. Throws Corruption when its CRC does not fit. */
export function getRow(reader: Reader, { table, decode }: RowTable, id: Bytes): StoredRow | undefined {
  return reader.decoded(rowKey(table, id), decode);
}

/** The slots of the row under an id, or undefined: shown to others too, so copy before a change. */
export function getSlots(reader: Reader, table: RowTable, id: Bytes): Slots | undefined {
  return getRow(reader, table, id)?.slots;
}

export function decodeSlots(value: Uint8Array): Slots {
  return decodeRecord(value, 'row') as Slots;
}

/** The slots are shown to others from here on: nobody may change them. */
export function putSlots(turn: Turn, table: number, id: Bytes, slots: Slots): void {
  const row: StoredRow = { slots, json: '' };
  turn.put(rowKey(table, id), encodeRecord(ROW_VERSION, slots), row);
}

export function dropSlots(turn: Turn, table: number, id: Bytes): void {
  turn.del(rowKey(table, id));
}

/** An entry's value is the id of its row, as the key of the row spells it. */
export function putEntry(turn: Turn, key: Bytes, id: Bytes): void {
  turn.put(key, Buffer.from(id, 'latin1'));
}

export function entryId(value: Uint8Array): Bytes {
  const bytes = (
    value instanceof Buffer ? value : Buffer.from(value.buffer, value.byteOffset, value.length)
  ) as ByteText;
  return bytes.latin1Slice(0, value.length);
}

/** The id that holds a key, or undefined. */
export function getEntry(reader: Reader, key: Bytes): Bytes | undefined {
  const value = reader.get(key);
  return value === undefined ? undefined : entryId(value);
}

/** The first entries of a range, at most `limit`, with the ids of their rows. */
export function entryPage(
  reader: Reader,
  range: KeyRange,
  limit: number,
): { readonly key: Bytes; readonly id: Bytes }[] {
  const page: { readonly key: Bytes; readonly id: Bytes }[] = [];
  for (const { key, value } of reader.range(range.from, range.to)) {
    page.push({ key, id: entryId(value) });
    if (page.length === limit) break;
  }
  return page;
}

/** Kept in the turn of every write, so that a total costs one read. */
export function rowCount(reader: Reader, table: number): RowCount {
  return reader.decoded(counts.key(table), decodeCount) ?? { live: 0, deleted: 0 };
}

export function addToCount(turn: Turn, table: number, live: number, deleted: number): void {
  if (live === 0 && deleted === 0) return;
  const now = rowCount(turn, table);
  const next: RowCount = { live: now.live + live, deleted: now.deleted + deleted };
  turn.put(counts.key(table), encodeRecord(TABLES.row_count.version, next), next);
}

/** Rows, index entries and counters of entities in the tenant's datastore. */
import { ROW_VERSION } from '#storage/catalogue.ts';
import { Corruption, NewerRecord } from '#storage/fault.ts';
import type { Bytes, Entry, Reader, Turn } from '#storage/port.ts';
import { decodeRecord, encodeRecord } from '#storage/record.ts';
import { addToCount } from './count/store.ts';
import { rowKey, type KeyRange } from './keys/store.ts';
import type { Slots, StoredRow } from './codec.ts';

export type { Entry, Reader, Snapshot, Turn } from '#storage/port.ts';

/** The length of a table's number at the start of a row's key. */
const TABLE_BYTES = 2;

/** A Buffer method that the type declarations leave out; faster, since no encoding name is looked up. */
type ByteText = Buffer & { latin1Slice(from: number, to: number): Bytes };

/** Where the rows of an entity lie, and how their bytes become slots. */
export interface RowTable {
  readonly table: number;
  readonly decode: (value: Uint8Array) => StoredRow;
  readonly pad: (slots: Slots) => Slots;
}

/** The row under an id, or undefined. Throws Corruption when its checksum does not match. */
function getRow(reader: Reader, table: RowTable, id: Bytes): StoredRow | undefined {
  const row = reader.decoded(rowKey(table.table, id), table.decode);
  if (row !== undefined && row.by !== table) adopt(row, table);
  return row;
}

/** Updates a row that was decoded under an earlier schema: it lacks the slots of fields that were added since. */
function adopt(row: StoredRow, table: RowTable): void {
  table.pad(row.slots);
  row.json = '';
  row.by = table;
}

interface Served {
  readonly name: string;
  readonly unread: { note(entity: string, id: Bytes, error: Error): void } | null;
}

/** Reports a row that cannot be read, and gives undefined. Throws the error when it is no damage, or when the model has no `unread` list. */
function leaveOut({ name, unread }: Served, id: Bytes, error: unknown): undefined {
  if (unread === null || !(error instanceof Corruption) || error instanceof NewerRecord) throw error;
  unread.note(name, id, error);
}

/** The row under an id; undefined where there is none, or where it cannot be read. */
export function findRow(reader: Reader, model: RowTable & Served, id: Bytes): StoredRow | undefined {
  try {
    return getRow(reader, model, id);
  } catch (error) {
    return leaveOut(model, id, error);
  }
}

/** A copy of the bytes under an id when they cannot be read as a row; undefined when they can, or when there are none. */
export function damagedBytes(reader: Reader, { table }: RowTable, id: Bytes): Buffer | undefined {
  const value = reader.get(rowKey(table, id));
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value);
  try {
    decodeSlots(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof Corruption && !(error instanceof NewerRecord)) return bytes;
    throw error;
  }
}

/** The row of an entry in its table's range; undefined where it cannot be read. */
export function rowOf(model: RowTable & Served, { key, value }: Entry): StoredRow | undefined {
  try {
    return model.decode(value);
  } catch (error) {
    return leaveOut(model, key.slice(TABLE_BYTES), error);
  }
}

/** Whether there is a row under an id, readable or damaged. */
export function hasRow(reader: Reader, { table }: RowTable, id: Bytes): boolean {
  return reader.get(rowKey(table, id)) !== undefined;
}

/** The slots of the row under an id, or undefined. Other readers have the same array: copy it before a change. */
export function getSlots(reader: Reader, table: RowTable, id: Bytes): Slots | undefined {
  return getRow(reader, table, id)?.slots;
}

export function decodeSlots(value: Uint8Array): Slots {
  return decodeRecord(value, 'row', ROW_VERSION) as Slots;
}

export function encodeSlots(slots: Slots): Uint8Array {
  return encodeRecord(ROW_VERSION, slots);
}

/**
 * Stages a row. A changed row will likely be read or changed again, so its slots are kept with the write; readers are given this array,
 * and it must not be changed any more. A new row's slots are not kept: thousands of new rows can wait for LMDB at once. Gives by how many
 * bytes the rows grow.
 */
export function putSlots(turn: Turn, table: number, id: Bytes, slots: Slots, isNew: boolean): number {
  const row: StoredRow | undefined = isNew ? undefined : { slots, json: '', by: null };
  const key = rowKey(table, id);
  const value = encodeRecord(ROW_VERSION, slots);
  const before = isNew ? 0 : bytesUnder(turn, key);
  turn.put(key, value, row);
  return key.length + value.length - before;
}

/** Stages other slots of a row whose state stays. */
export function rewriteSlots(turn: Turn, table: number, id: Bytes, slots: Slots): void {
  addToCount(turn, table, 0, 0, { id, bytes: putSlots(turn, table, id, slots, false) });
}

/** Stages the end of a row. Gives by how many bytes the rows grow: below 0. */
export function dropSlots(turn: Turn, table: number, id: Bytes): number {
  const key = rowKey(table, id);
  const before = bytesUnder(turn, key);
  turn.del(key);
  return -before;
}

function bytesUnder(reader: Reader, key: Bytes): number {
  const value = reader.get(key);
  return value === undefined ? 0 : key.length + value.length;
}

/** The value of an entry whose key ends with the row's id: the length of that id, one byte. No id is one byte long. */
const TAILS = Array.from({ length: 256 }, (_, length) => Uint8Array.of(length));

/** Stages an index entry. It names its row by the tail of its key or, where the key does not end with the id, by its value. */
export function putEntry(turn: Turn, key: Bytes, id: Bytes): void {
  turn.put(key, entryValue(key, id));
}

export function entryValue(key: Bytes, id: Bytes): Uint8Array {
  return (key.endsWith(id) ? TAILS[id.length] : undefined) ?? Buffer.from(id, 'latin1');
}

/** The id of an entry's row, in the form of row keys. */
export function entryId({ key, value }: Entry): Bytes {
  return value.length === 1 ? key.slice(-value[0]!) : wholeId(value);
}

function wholeId(value: Uint8Array): Bytes {
  const bytes = (
    value instanceof Buffer ? value : Buffer.from(value.buffer, value.byteOffset, value.length)
  ) as ByteText;
  return bytes.latin1Slice(0, value.length);
}

/** The id of the row that holds a unique key, or undefined. */
export function getEntry(reader: Reader, key: Bytes): Bytes | undefined {
  const value = reader.get(key);
  return value === undefined ? undefined : entryId({ key, value });
}

/** The first entries of a range, at most `limit`, with the ids of their rows. */
export function entryPage(
  reader: Reader,
  range: KeyRange,
  limit: number,
): { readonly key: Bytes; readonly id: Bytes }[] {
  const page: { readonly key: Bytes; readonly id: Bytes }[] = [];
  for (const entry of reader.range(range.from, range.to)) {
    page.push({ key: entry.key, id: entryId(entry) });
    if (page.length === limit) break;
  }
  return page;
}

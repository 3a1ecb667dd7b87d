/** Keys of rows and index entries. A row lies under (table, id); an index entry under (index, values, id), a unique one without its id. */
import { hash } from 'node:crypto';
import { after, beyond, bits128, Decimal, tuple, u16 } from '#storage/key.ts';
import type { Bytes } from '#storage/port.ts';
import { limits } from '#config/limits.ts';
import { ulidBytes } from '#config/values/id.ts';
import type { StoredType } from '../../schema/stored.ts';
import type { KeyedAs } from '#config/values/field-types.ts';

export type { Bytes } from '#storage/port.ts';

/** An LMDB key has 1,978 bytes; the rest is for the tenant's prefix, the table number and the row's id. */
const VALUE_BYTES_MAX = 1900 - limits.data.idBytesMax - 2;
const HASH_BYTES = 32;

export interface KeyField {
  readonly type: StoredType;
  /** Position of the value in the row's slots. */
  readonly at: number;
}

export interface IndexKeys {
  readonly no: number;
  readonly unique: boolean;
  readonly fields: readonly KeyField[];
}

/** Bytes `from <= key < to`. */
export interface KeyRange {
  readonly from: Bytes;
  readonly to: Bytes;
}

/** The id as the tail of a key, which is also the value of an entry in a unique index. */
export function idKey(type: StoredType, id: unknown): Bytes {
  return encode(type, id);
}

export function rowKey(table: number, id: Bytes): Bytes {
  return u16(table) + id;
}

/** All rows of a table, or all entries of an index. */
export function tableRange(no: number): KeyRange {
  return { from: u16(no), to: after(u16(no)) };
}

/** The key of a row's entry. In a unique index nulls do not collide: an entry with a null ends with the id too. */
export function indexKey(index: IndexKeys, slots: readonly unknown[], id: Bytes): Bytes {
  let key = u16(index.no);
  let distinct = index.unique;
  for (const { type, at } of index.fields) {
    const value = slots[at];
    if (value === null) distinct = false;
    key += bounded(encode(type, value), index.fields.length);
  }
  return distinct ? key : key + id;
}

/** Whether the row claims a key that no other row may hold. */
export function isDistinct(index: IndexKeys, slots: readonly unknown[]): boolean {
  if (!index.unique) return false;
  for (const { at } of index.fields) if (slots[at] === null) return false;
  return true;
}

/** Entries whose first values are the given ones; entries of equal values are in order of id. A cut text can match others, so each row must be checked. */
export function indexRange(index: IndexKeys, values: readonly unknown[]): KeyRange {
  let from = u16(index.no);
  for (let i = 0; i < values.length; i++)
    from += bounded(encode(index.fields[i]!.type, values[i]), index.fields.length);
  return { from, to: beyond(from) };
}

/** A range of the field after the bound ones. Bounds are inclusive in keys, so each row must be checked. Undefined is no bound. */
export interface Tail {
  readonly low?: unknown;
  readonly high?: unknown;
  /** Only texts with this prefix. */
  readonly prefix?: string;
}

/** Entries whose first values are the given ones and whose next value lies within `tail`. Each row must be checked: at the borders there may be others. */
export function indexTailRange(index: IndexKeys, values: readonly unknown[], tail: Tail): KeyRange {
  const head = indexRange(index, values).from;
  const share = shareOf(index.fields.length) - HASH_BYTES;
  return tailRange(head, index.fields[values.length]!.type, tail, share);
}

/** Rows of a table whose id lies within `tail`. */
export function idTailRange(table: number, type: StoredType, tail: Tail): KeyRange {
  return tailRange(u16(table), type, tail, VALUE_BYTES_MAX);
}

/** The keys of a range of values. A bound longer than its share of the key is cut: its beginning bounds the range, too. */
function tailRange(head: Bytes, type: StoredType, { low, high, prefix }: Tail, share: number): KeyRange {
  const border = (value: unknown): Bytes => head + encode(type, value).slice(0, share);
  if (prefix !== undefined) {
    const from = head + tuple(prefix).slice(0, -1).slice(0, share);
    return { from, to: after(from) };
  }
  return {
    from: low === undefined ? after(head + tuple(null)) : border(low),
    to: high === undefined ? beyond(head) : after(border(high)),
  };
}

/** The part of a range from, or up to, a key; `key` itself belongs to both parts. */
export function clip(range: KeyRange, key: Bytes, side: 'from' | 'to'): KeyRange {
  if (side === 'from') return key > range.from ? { from: key, to: range.to } : range;
  const to = after(key);
  return to < range.to ? { from: range.from, to } : range;
}

/** Types whose keys are their values. A type with its own encoding that is not handled above does not compile. */
type AsItIs<T extends KeyedAs<'plain' | 'integer'>> = T extends StoredType ? string | number | boolean : never;

function encode(type: StoredType, value: unknown): Bytes {
  if (value === null) return tuple(null);
  if (type === 'ulid') return bits128(ulidBytes(value as string));
  if (type === 'uuid') return bits128(Buffer.from((value as string).replaceAll('-', ''), 'hex').toString('latin1'));
  if (type === 'decimal') return tuple(new Decimal(value as string));
  if (type === 'integer' && typeof value === 'string') return tuple(Number(value), new Decimal(value));
  return tuple(value as AsItIs<typeof type>);
}

/** Whether a value of the row was cut in the key: rows with the same beginning are then ordered by the hash, not by the value. */
export function isCut(index: IndexKeys, slots: readonly unknown[]): boolean {
  const share = shareOf(index.fields.length);
  for (const { type, at } of index.fields) {
    const value = slots[at];
    // Encoding a text takes at most three bytes for each UTF-16 unit, and two more: most texts fit for sure.
    if (typeof value === 'string' && 3 * value.length + 2 > share && encode(type, value).length > share) return true;
  }
  return false;
}

const shareOf = (fields: number): number => Math.floor(VALUE_BYTES_MAX / fields);

/** The value as a part of a key; one too long for its share is cut and ends with a hash. */
function bounded(part: Bytes, fields: number): Bytes {
  const share = shareOf(fields);
  if (part.length <= share) return part;
  return part.slice(0, share - HASH_BYTES) + hash('sha256', Buffer.from(part, 'latin1'), 'buffer').toString('latin1');
}

/** A typed table over a store: msgpack records under tuple keys. Entities have their own codec in the data room. */
import { beyond, tuple, u16, type KeyPart } from './key.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { unlessDamaged } from './fault.ts';
import type { Bytes, Lookup, Reader, Turn } from './port.ts';
import type { TableRow } from './catalogue.ts';
import { untuple } from './untuple.ts';

export interface Nearest<V> {
  readonly record: V;
  /** Whether the record is the one that was asked for. */
  readonly isOwn: boolean;
}

export class Table<V> {
  readonly #prefix: Bytes;
  readonly #version: number;
  readonly #name: string;
  readonly #decode = (value: Uint8Array): V & object => this.#decoded(value) as V & object;

  constructor(name: string, row: TableRow) {
    this.#prefix = u16(row.no);
    this.#version = row.version;
    this.#name = name;
  }

  key(...parts: readonly KeyPart[]): Bytes {
    return this.#prefix + tuple(...parts);
  }

  /** The record under the key, or undefined. Throws Corruption when its CRC does not fit. */
  get(reader: Lookup, ...parts: readonly KeyPart[]): V | undefined {
    const value = reader.get(this.key(...parts));
    return value === undefined ? undefined : this.#decoded(value);
  }

  /**
   * As `get`, of a record that is read again and again: the store may keep it decoded, so no caller may change it. Records of one key are all read
   * in this way.
   */
  kept(reader: Reader, ...parts: readonly KeyPart[]): V | undefined {
    return reader.decoded(this.key(...parts), this.#decode);
  }

  /**
   * The record under the key, or else the next one among those that begin with `within`: found in the same way and the same time. A next one that
   * is damaged is none. Throws Corruption when the record under the key is.
   */
  nearest(reader: Lookup, within: readonly KeyPart[], ...rest: readonly KeyPart[]): Nearest<V> | undefined {
    const wanted = this.key(...within, ...rest);
    for (const { key, value } of reader.range(wanted, beyond(this.key(...within)))) {
      const isOwn = key === wanted;
      const record = isOwn ? this.#decoded(value) : unlessDamaged(() => this.#decoded(value));
      return record === undefined ? undefined : { record, isOwn };
    }
    return undefined;
  }

  #decoded(value: Uint8Array): V {
    return decodeRecord(value, this.#name, this.#version) as V;
  }

  put(turn: Turn, value: V, ...parts: readonly KeyPart[]): void {
    turn.put(this.key(...parts), encodeRecord(this.#version, value));
  }

  /** As `put`, of a record that `kept` reads: from here on no caller may change it. */
  putKept(turn: Turn, value: V & object, ...parts: readonly KeyPart[]): void {
    turn.put(this.key(...parts), encodeRecord(this.#version, value), value);
  }

  del(turn: Turn, ...parts: readonly KeyPart[]): void {
    turn.del(this.key(...parts));
  }

  /** The first record that a scan would give. It closes the scan: an open scan keeps LMDB from using its pages again. */
  first(reader: Lookup, parts: readonly KeyPart[] = []): V | undefined {
    for (const record of this.scan(reader, parts)) return record;
    return undefined;
  }

  /** Records from a key on, present or not, in key order. Leave it as `scan`. */
  *scanFrom(reader: Lookup, parts: readonly KeyPart[]): IterableIterator<V> {
    for (const { value } of reader.range(this.key(...parts), beyond(this.key()))) yield this.#decoded(value);
  }

  /** As `scanFrom`, with the parts of the keys; null for a key that was cut. Leave it as `scan`. */
  *entriesFrom(reader: Lookup, from: readonly KeyPart[]): IterableIterator<{ parts: KeyPart[] | null; record: V }> {
    for (const { key, value } of reader.range(this.key(...from), beyond(this.key()))) {
      const record = this.#decoded(value);
      yield { parts: untuple(key.slice(this.#prefix.length)), record };
    }
  }

  /** Records below a key, present or not, the last one first; all of them without parts. Leave it as `scan`. */
  *scanBack(reader: Lookup, below: readonly KeyPart[] = []): IterableIterator<V> {
    const to = below.length === 0 ? beyond(this.#prefix) : this.key(...below);
    for (const { value } of reader.range(this.#prefix, to, true)) yield this.#decoded(value);
  }

  /** Records whose first parts are the given ones, in key order. Leave it by for-of, or take `first`: never by one `next()`. */
  *scan(reader: Lookup, parts: readonly KeyPart[] = [], reverse = false): IterableIterator<V> {
    const from = this.key(...parts);
    for (const { value } of reader.range(from, beyond(from), reverse)) yield this.#decoded(value);
  }

  /** As `scan`, without the records under some keys (`key`), which are not decoded. Leave it as `scan`. */
  *scanOthers(reader: Lookup, parts: readonly KeyPart[], except: ReadonlySet<Bytes>): IterableIterator<V> {
    const from = this.key(...parts);
    for (const { key, value } of reader.range(from, beyond(from))) if (!except.has(key)) yield this.#decoded(value);
  }
}

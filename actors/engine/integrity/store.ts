/**
 * Checks a tenant's entities in both directions: every row has its index entries, its count and the uses of its files, and every entry,
 * count and use has its row. Each fault comes with the writes that mend it; a row that cannot be read is named, and only its deletion
 * mends it.
 */
import { DYNAMIC_TABLE_FIRST } from '#storage/catalogue.ts';
import type { Bytes, Entry, Lookup } from '#storage/port.ts';
import { u16 } from '#storage/key.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import { isDeleted, padderOf, positionOf, type Slots } from '../rows/codec.ts';
import { idKey, indexKey, isDistinct, rowKey, tableRange } from '../rows/keys/store.ts';
import { indexModel, type IndexModel } from '../rows/model.ts';
import { decodeSlots, entryId, entryValue, getEntry, type Reader } from '../rows/store.ts';
import { countRecord, rowCount, type RowCount } from '../rows/count/store.ts';
import { versionsOf } from '../rows/versions/store.ts';
import { NOTHING, useKey, useOf, USES } from '../files/store.ts';
import { isStray, rowFault } from '../search/check/store.ts';
import { documentsRange } from '../search/store.ts';
import { textIndexOf, type TextIndex } from '../search/text-index.ts';
import { KEY_FIELD } from '../schema/desired.ts';
import { loadSchema } from '../schema/store.ts';
import type { StoredEntity, StoredSchema } from '../schema/stored.ts';

/** `row`: a row that cannot be read, or that lies under another id than its own. */
export type IntegrityKind = 'row' | 'index' | 'count' | 'use';

export interface IntegrityFault {
  readonly kind: IntegrityKind;
  readonly entity: string;
  /** The key within the tenant's store. */
  readonly key: Bytes;
  readonly what: string;
  /** The writes that mend it; for a row: its deletion. */
  readonly mend: readonly (readonly [key: Bytes, value: Uint8Array | null])[];
}

/** The numbers of rows, as counted by a check. */
export interface Tally {
  live: number;
  deleted: number;
  unread: number;
  /** Of the keys and values. */
  bytes: number;
}

/** Whether bytes are counted, and are others. While those of earlier rows are being counted the sum says nothing. */
const isWrong = ({ bytes, upTo }: RowCount, found: number): boolean =>
  bytes !== undefined && upTo === undefined && bytes !== found;

/** The length of a table's number at the start of a row's key. */
const TABLE_BYTES = 2;

/** Finds the faults in one tenant's store. Throws Corruption for a schema that cannot be read. */
export function* checkEntities(store: Lookup): Generator<IntegrityFault, void> {
  const reader = readerOf(store);
  const schema = loadSchema(reader);
  const tables = schema.entities.map((entity) => new TableCheck(reader, entity));
  for (const table of tables) yield* table.all();
  yield* strays(store, schema);
  const byNo = new Map(tables.map((table) => [table.entity.table, table]));
  for (const { key } of store.range(USES.from, USES.to)) yield* checkUse(key, byNo);
}

/** A reader without a cache: the check must see the bytes on the disk. */
export function readerOf(store: Lookup): Reader {
  return {
    get: (key) => store.get(key),
    range: (from, to, reverse) => store.range(from, to, reverse),
    decoded: (key, decode) => {
      const value = store.get(key);
      return value === undefined ? undefined : decode(value);
    },
  };
}

/** Checks one entity's rows and index entries, each against what belongs to it. */
export class TableCheck {
  readonly #reader: Reader;
  readonly entity: StoredEntity;
  readonly #pad: (slots: Slots) => Slots;
  readonly #key: { readonly type: StoredEntity['fields'][number]['type']; readonly at: number };
  readonly indexes: readonly IndexModel[];
  readonly texts: readonly TextIndex[];
  readonly #files: readonly number[];

  constructor(reader: Reader, entity: StoredEntity) {
    this.#reader = reader;
    this.entity = entity;
    this.#pad = padderOf(entity.fields);
    const key = entity.fields.find(({ name }) => name === KEY_FIELD)!;
    this.#key = { type: key.type, at: positionOf(key.slot) };
    this.indexes = entity.indexes.map((index) => indexModel(index, entity));
    this.texts = (entity.texts ?? []).map((text) => textIndexOf(text, entity)).filter(({ building }) => !building);
    this.#files = entity.fields.filter(({ type }) => type === 'file').map(({ slot }) => positionOf(slot));
  }

  /** Every row and every entry, and the count. */
  *all(): Generator<IntegrityFault, void> {
    const { from, to } = tableRange(this.entity.table);
    const tally = { live: 0, deleted: 0, unread: 0, bytes: 0 };
    for (const entry of this.#reader.range(from, to)) yield* this.checkRow(entry, tally);
    yield* this.checkCount(tally);
    for (const index of this.indexes) {
      const range = tableRange(index.no);
      for (const entry of this.#reader.range(range.from, range.to)) yield* this.checkEntry(index, entry);
    }
    for (const text of this.texts) {
      const range = documentsRange(text);
      for (const entry of this.#reader.range(range.from, range.to)) yield* this.checkDocument(text, entry);
    }
  }

  /** Checks a row, its index entries and its file uses. */
  *checkRow({ key, value }: Entry, tally: Tally): Generator<IntegrityFault, void> {
    tally.bytes += key.length + value.length;
    const slots = this.decode(value);
    const id = key.slice(TABLE_BYTES);
    if (slots === null || !this.#isUnder(id, slots)) {
      tally.unread++;
      const what = slots === null ? 'it cannot be read' : 'it is stored under the id of another row';
      yield this.#fault('row', key, what, [[key, null]]);
      return;
    }
    if (isDeleted(slots)) tally.deleted++;
    else tally.live++;
    yield* this.#entriesOf(slots, id);
    yield* this.#wordsOf(slots, id, key);
    yield* this.#usesOf(slots, id);
  }

  *#entriesOf(slots: Slots, id: Bytes): Generator<IntegrityFault, void> {
    for (const index of this.indexes) {
      if (index.building) continue;
      const key = indexKey(index, slots, id);
      const holder = getEntry(this.#reader, key);
      if (holder === id) continue;
      const name = `the index (${index.names.join(', ')})`;
      if (holder !== undefined && isDistinct(index, slots) && this.holds(index, key, holder)) {
        yield this.#fault('index', key, `two rows hold one value of ${name}, which is to be unique`, []);
        continue;
      }
      const what = holder === undefined ? 'has no entry of a row' : 'leads to another row than it should';
      yield this.#fault('index', key, `${name} ${what}`, [[key, entryValue(key, id)]]);
    }
  }

  /** Its words are in blocks together with those of other rows: only a text index that is built anew mends them. */
  *#wordsOf(slots: Slots, id: Bytes, key: Bytes): Generator<IntegrityFault, void> {
    for (const text of this.texts) {
      const what = rowFault(this.#reader, text, id, slots);
      if (what !== null) yield this.#fault('index', key, `the text index (${text.names.join(', ')}) ${what}`, []);
    }
  }

  /** Checks that the row whose words a text index has is there. */
  *checkDocument(text: TextIndex, entry: Entry): Generator<IntegrityFault, void> {
    const hasRow = (id: Bytes): boolean => this.#reader.get(rowKey(this.entity.table, id)) !== undefined;
    if (!isStray(text, entry, hasRow)) return;
    const what = `the text index (${text.names.join(', ')}) has the words of a row that is gone`;
    yield this.#fault('index', entry.key, what, []);
  }

  *#usesOf(slots: Slots, id: Bytes): Generator<IntegrityFault, void> {
    for (const at of this.#files) {
      const file = slots[at] as FileRecord | null;
      if (file === null) continue;
      const key = useKey(file.sha256, this.entity.table, at, id);
      if (this.#reader.get(key) === undefined)
        yield this.#fault('use', key, 'the file of a row is not recorded as used', [[key, NOTHING]]);
    }
  }

  /** Counts a row without any other check. */
  countRow({ key, value }: Entry, tally: Tally): readonly IntegrityFault[] {
    tally.bytes += key.length + value.length;
    const slots = this.decode(value);
    if (slots === null) tally.unread++;
    else if (isDeleted(slots)) tally.deleted++;
    else tally.live++;
    return [];
  }

  /** Compares the stored count with the rows. A row that cannot be read may be live or deleted: the count is not checked until it is mended or gone. */
  *checkCount({ live, deleted, unread, bytes }: Tally): Generator<IntegrityFault, void> {
    if (unread > 0) return;
    const { table } = this.entity;
    let stored: RowCount | null = null;
    try {
      stored = rowCount(this.#reader, table);
    } catch {
      // A count that cannot be read is a wrong one.
    }
    if (stored?.live === live && stored.deleted === deleted && !isWrong(stored, bytes)) return;
    const what = `the count says ${stored?.live ?? '?'} rows and ${stored?.deleted ?? '?'} deleted ones of ${stored?.bytes ?? '?'} bytes, there are ${live} and ${deleted} of ${bytes} bytes`;
    const mend = countRecord(table, { live, deleted, bytes });
    yield this.#fault('count', mend[0], what, [mend]);
  }

  /** Checks that the row to which an entry leads holds its values. */
  *checkEntry(index: IndexModel, entry: Entry): Generator<IntegrityFault, void> {
    const id = entryId(entry);
    const value = this.#reader.get(rowKey(this.entity.table, id));
    const slots = value === undefined ? undefined : this.decode(value);
    // The row cannot be read: entries that lead to it stay until it is mended or gone.
    if (slots === null) return;
    if (slots !== undefined && indexKey(index, slots, id) === entry.key) return;
    const what = `the index (${index.names.join(', ')}) has an entry that no row holds`;
    yield this.#fault('index', entry.key, what, [[entry.key, null]]);
  }

  /** Whether the row under the id makes this entry. */
  holds(index: IndexModel, key: Bytes, id: Bytes): boolean {
    const slots = this.row(id);
    return slots !== null && indexKey(index, slots, id) === key;
  }

  /** Whether the row exists and cannot be read: entries and uses that lead to it stay until it is mended or gone. */
  isUnread(id: Bytes): boolean {
    const value = this.#reader.get(rowKey(this.entity.table, id));
    return value !== undefined && this.decode(value) === null;
  }

  /** The slots of the row under an id; null where there is none, or where it cannot be read. */
  row(id: Bytes): Slots | null {
    const value = this.#reader.get(rowKey(this.entity.table, id));
    return value === undefined ? null : this.decode(value);
  }

  /** Whether the row, or a stored version of it, holds the file. */
  uses(id: Bytes, at: number, sha256: string): boolean {
    const slots = this.row(id);
    if (slots === null) return false;
    if ((slots[at] as FileRecord | null | undefined)?.sha256 === sha256) return true;
    const model = { table: this.entity.table, key: this.#key, pad: this.#pad };
    for (const old of versionsOf(this.#reader, model, slots))
      if ((old[at] as FileRecord | null)?.sha256 === sha256) return true;
    return false;
  }

  /** The slots of these bytes; null when they cannot be read. */
  decode(value: Uint8Array): Slots | null {
    try {
      return this.#pad(decodeSlots(value));
    } catch {
      return null;
    }
  }

  #isUnder(id: Bytes, slots: Slots): boolean {
    try {
      return idKey(this.#key.type, slots[this.#key.at]) === id;
    } catch {
      return false;
    }
  }

  #fault(kind: IntegrityKind, key: Bytes, what: string, mend: IntegrityFault['mend']): IntegrityFault {
    return { kind, entity: this.entity.name, key, what, mend };
  }
}

/** Faults for entries of tables that the schema does not know. A number above all that were given belongs to an index whose build was interrupted. */
function* strays(store: Lookup, schema: StoredSchema): Generator<IntegrityFault, void> {
  for (let table = strayTable(store, schema, DYNAMIC_TABLE_FIRST); table !== null;) {
    const { from, to } = tableRange(table);
    for (const entry of store.range(from, to)) yield strayFault(table, entry);
    table = strayTable(store, schema, table + 1);
  }
}

/** The number of the first table, `first` or higher, that holds entries and that the schema does not know; null where there is none. */
export function strayTable(store: Lookup, schema: StoredSchema, first: number): number | null {
  const named = new Set((schema.garbage ?? []).map(({ table }) => table));
  for (const { table, indexes, texts = [] } of schema.entities)
    for (const no of [table, ...[...indexes, ...texts].map(({ no }) => no)]) named.add(no);
  const end = Math.min(schema.nextTable, 0xffff);
  for (let no = first; no < end; no++) {
    const found = tableFrom(store, u16(no), u16(end));
    if (found === null) return null;
    if (!named.has(found)) return found;
    no = found;
  }
  return null;
}

/** The number of the table of the first key in a range; null where it is empty. */
function tableFrom(store: Lookup, from: Bytes, end: Bytes): number | null {
  for (const { key } of store.range(from, end)) return (key.charCodeAt(0) << 8) | key.charCodeAt(1);
  return null;
}

export function strayFault(table: number, { key, value }: Entry): IntegrityFault {
  const what = `it belongs to table ${table}, which the schema does not know`;
  return { kind: canDecode(value) ? 'row' : 'index', entity: '', key, what, mend: [[key, null]] };
}

function canDecode(value: Uint8Array): boolean {
  try {
    decodeSlots(value);
    return true;
  } catch {
    return false;
  }
}

/** Checks that the row of a use holds the file. */
export function* checkUse(key: Bytes, tables: ReadonlyMap<number, TableCheck>): Generator<IntegrityFault, void> {
  const use = useOf(key);
  const table = use === null ? undefined : tables.get(use.table);
  // The uses of a dropped entity are cleared with its rows, in slices.
  if (use !== null && table === undefined) return;
  if (use !== null && (table!.isUnread(use.id) || table!.uses(use.id, use.at, use.sha256))) return;
  const what = 'a file is recorded as used by a row that does not hold it';
  yield { kind: 'use', entity: table?.entity.name ?? '', key, what, mend: [[key, null]] };
}

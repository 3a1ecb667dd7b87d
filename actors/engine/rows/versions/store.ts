/** Old versions of the rows of versioned entities: what `version=N` reads. A physical delete takes them along. */
import { TABLES } from '#storage/catalogue.ts';
import { after } from '#storage/key.ts';
import type { Bytes, Reader, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import { versionOf } from '../codec.ts';
import type { Slots } from '../codec.ts';

const table = new Table<Slots>('row_version', TABLES.row_version);

/** What is asked of an entity here: where its rows lie, where their key stands, how an old record becomes whole. */
interface Versioned {
  readonly table: number;
  readonly key: { readonly at: number };
  readonly pad: (slots: Slots) => Slots;
}

/** Keeps a state of a row that a write replaces. */
export function putVersion(turn: Turn, model: Versioned, before: Slots): void {
  table.put(turn, before, model.table, idIn(model, before), versionOf(before));
}

/** A row as it was in a version, padded; undefined when it never had it. The row itself holds its newest one. */
export function stateOf(reader: Reader, model: Versioned, row: Slots, version: number): Slots | undefined {
  if (version === versionOf(row)) return row;
  const slots = table.get(reader, model.table, idIn(model, row), version);
  return slots === undefined ? undefined : model.pad(slots);
}

/** Drops up to `limit` versions of a row; whether there were that many, and so may be more. */
export function dropVersions(turn: Turn, model: Versioned, row: Slots, limit: number): boolean {
  const id = idIn(model, row);
  const versions: number[] = [];
  for (const slots of table.scan(turn, [model.table, id])) {
    versions.push(versionOf(slots));
    if (versions.length === limit) break;
  }
  for (const version of versions) table.del(turn, model.table, id, version);
  return versions.length === limit;
}

/** The kept versions of one row, padded. */
export function* versionsOf(reader: Reader, model: Versioned, row: Slots): IterableIterator<Slots> {
  for (const slots of table.scan(reader, [model.table, idIn(model, row)])) yield model.pad(slots);
}

/** Every kept version, by row and number, padded: what its rows were before what they are. */
export function* allVersions(reader: Reader, model: Versioned): IterableIterator<Slots> {
  for (const slots of table.scan(reader, [model.table])) yield model.pad(slots);
}

/** All versions of the rows of a table. */
export function versionsRange(rows: number): { readonly from: Bytes; readonly to: Bytes } {
  const from = table.key(rows);
  return { from, to: after(from) };
}

function idIn({ key }: Versioned, slots: Slots): string | number {
  return slots[key.at] as string | number;
}

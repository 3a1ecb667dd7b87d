/** Old versions of the rows of versioned entities: what `version=N` reads. A physical delete removes them. */
import { TABLES } from '#storage/catalogue.ts';
import { after } from '#storage/key.ts';
import type { Bytes, Reader, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import { versionOf, type Slots } from '../codec.ts';

const table = new Table<Slots>('row_version', TABLES.row_version);

/** What this file needs of an entity: its table, the place of its key, and how an old record is padded. */
interface Versioned {
  readonly table: number;
  readonly key: { readonly at: number };
  readonly pad: (slots: Slots) => Slots;
}

/** Keeps the state of a row that a write replaces. */
export function putVersion(turn: Turn, model: Versioned, before: Slots): void {
  table.put(turn, before, model.table, idIn(model, before), versionOf(before));
}

/** A row as it was in a version, padded; undefined when there is no such version. The row itself is its newest version. */
export function stateOf(reader: Reader, model: Versioned, row: Slots, version: number): Slots | undefined {
  if (version === versionOf(row)) return row;
  const slots = table.get(reader, model.table, idIn(model, row), version);
  return slots === undefined ? undefined : model.pad(slots);
}

/** Drops up to `limit` versions of a row; true when it dropped that many, so that more may be left. */
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

/** Every kept version of an entity's rows, by row and number, padded. */
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

/** A row as it is stored: an array by slot. The first five slots belong to the service; the fields follow in the order they were added. */
import type { Mask } from '#actors/kit/mask.ts';
import type { StoredField } from '../schema/stored.ts';

/** [version, created_at, updated_at, deleted_at, deleted_by, …fields]. Instants are RFC 3339 text, null where unknown. */
export type Slots = unknown[];

export const VERSION_AT = 0;
export const CREATED_AT = 1;
export const UPDATED_AT = 2;
export const DELETED_AT = 3;
export const DELETED_BY_AT = 4;
const HEAD_SLOTS = 5;

/** The position of a field's slot in the stored array. */
export function positionOf(slot: number): number {
  return HEAD_SLOTS + slot;
}

export function isDeleted(slots: Slots): boolean {
  return slots[DELETED_AT] !== null;
}

export function versionOf(slots: Slots): number {
  return slots[VERSION_AT] as number;
}

/** Fills the slots of fields that were added after the row was written. */
export function padderOf(fields: readonly StoredField[]): (slots: Slots) => Slots {
  const width = fields.reduce((most, { slot, next }) => Math.max(most, slot + 1, (next?.slot ?? -1) + 1), 0);
  const absent: unknown[] = [1, null, null, null, null, ...Array<null>(width).fill(null)];
  for (const field of fields) absent[positionOf(field.slot)] = field.absent;
  return (slots) => {
    for (let at = slots.length; at < absent.length; at++) slots.push(absent[at]);
    return slots;
  };
}

/** A row as it was read. Later readers are given the same object: its slots must not be changed. */
export interface StoredRow {
  readonly slots: Slots;
  /** The whole row as JSON text, made at the first use; '' before. */
  json: string;
  /** The model that padded the slots and made the text. A model of a newer schema does both again and takes its place. */
  by: object | null;
}

export type Row = Record<string, unknown>;

/** Builds plain rows of one shape: the same names in the same order, for every row. */
export function shaperOf(columns: readonly { readonly name: string; readonly at: number }[]): (slots: Slots) => Row {
  const names = columns.map((column) => column.name);
  const places = columns.map((column) => column.at);
  return (slots) => {
    const row: Row = {};
    for (let i = 0; i < names.length; i++) row[names[i]!] = slots[places[i]!];
    return row;
  };
}

interface Masked {
  readonly name: string;
  readonly mask: Mask | null;
}

/** The same rows with masked fields as their masks show them. */
export function maskingOf(shape: (slots: Slots) => Row, columns: readonly Masked[]): (slots: Slots) => Row {
  return (slots) => {
    const row = shape(slots);
    for (const { name, mask } of columns) if (mask !== null) row[name] = mask(row[name]);
    return row;
  };
}

/** The stored schema of a tenant: what its rows really look like, whatever the definitions say by now. */
import type { StoredType } from '#config/values/field-types.ts';
import type { FieldRules } from './rules.ts';

export type { StoredType } from '#config/values/field-types.ts';

export interface StoredField {
  readonly name: string;
  readonly type: StoredType;
  /** Permanent place in the row record; never given to another field. */
  readonly slot: number;
  /** What rows written before the field existed show: its default when it was added, else null. */
  readonly absent: unknown;
  /** The constraints that every row is known to keep; absent where the field is older than this record. */
  readonly rules?: FieldRules;
  /** The place that a plan is filling with the field's values in another type: writers fill it too, nobody reads it. */
  readonly next?: { readonly slot: number; readonly type: StoredType; readonly rules: FieldRules };
}

export interface StoredIndex {
  /** Table number of its entries. */
  readonly no: number;
  readonly fields: readonly string[];
  readonly unique: boolean;
  /** A plan is still entering rows: writers keep it up, nobody reads it. */
  readonly building?: true;
}

export interface StoredEntity {
  readonly name: string;
  /** Table number of its rows. */
  readonly table: number;
  readonly fields: readonly StoredField[];
  readonly indexes: readonly StoredIndex[];
  /** The next slot to give where fields were dropped; else as many as there are fields. */
  readonly nextSlot?: number;
}

/** Tables that no schema names any more: their rows and entries are cleared in slices. */
export interface Garbage {
  readonly table: number;
  /** Places of fields that hold files, whose uses go with the rows. */
  readonly files: readonly number[];
}

export interface StoredSchema {
  /** The next table number to give; numbers are never used twice. */
  readonly nextTable: number;
  readonly entities: readonly StoredEntity[];
  readonly garbage?: readonly Garbage[];
}

/** The slot that the next field of an entity takes. */
export function nextSlotOf({ fields, nextSlot }: StoredEntity): number {
  return nextSlot ?? fields.length;
}

/** The stored schema of a tenant: the form of its rows as they are stored, which definitions may no longer match. */
import type { StoredType } from '#config/values/field-types.ts';
import type { FieldRules } from './rules.ts';

export type { StoredType } from '#config/values/field-types.ts';

export interface StoredField {
  readonly name: string;
  readonly type: StoredType;
  /** Permanent position in the row record; never given to another field. */
  readonly slot: number;
  /** The value shown by rows older than the field: its default when it was added, else null. */
  readonly absent: unknown;
  /** The constraints that every row is known to keep; absent where the field is older than this record. */
  readonly rules?: FieldRules;
  /** The second slot, which a plan is filling with the field's values in another type: writes fill it too, reads do not use it. */
  readonly next?: { readonly slot: number; readonly type: StoredType; readonly rules: FieldRules };
}

export interface StoredIndex {
  /** Table number of its entries. */
  readonly no: number;
  readonly fields: readonly string[];
  readonly unique: boolean;
  /** A plan is still entering rows: writes update the index, reads do not use it. */
  readonly building?: true;
}

/** A text index: a field of it that is dropped or takes another type takes the index along. */
export interface StoredText {
  /** Table number of all that it stores. */
  readonly no: number;
  readonly fields: readonly string[];
  readonly language: string;
  readonly stopWords: readonly string[];
  /** How words were made when it was built (desired.ts): another number means another index. */
  readonly analysis: number;
  /** A plan is still entering rows: writes update the index, searches do not use it. */
  readonly building?: true;
}

export interface StoredEntity {
  readonly name: string;
  /** Table number of its rows. */
  readonly table: number;
  readonly fields: readonly StoredField[];
  readonly indexes: readonly StoredIndex[];
  /** The text index, and while a plan builds another in its place, both; absent where there is none. */
  readonly texts?: readonly StoredText[];
  /** The next slot to give, where fields were dropped; otherwise it is the number of fields. */
  readonly nextSlot?: number;
}

/** Tables that the schema no longer uses: their rows and entries are cleared in slices. */
export interface Garbage {
  readonly table: number;
  /** Positions of fields that hold files: their uses are cleared with the rows. */
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

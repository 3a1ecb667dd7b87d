/** The stored schema of a tenant: what its rows really look like, whatever the definitions say by now. */
import type { FieldType } from '#config/definitions/product.ts';

/** The type that a ref field stores is its target's key type. */
export type StoredType = Exclude<FieldType, 'ref'>;

export interface StoredField {
  readonly name: string;
  readonly type: StoredType;
  /** Permanent place in the row record; never given to another field. */
  readonly slot: number;
  /** What rows written before the field existed show: its default when it was added, else null. */
  readonly absent: unknown;
}

export interface StoredIndex {
  /** Table number of its entries. */
  readonly no: number;
  readonly fields: readonly string[];
  readonly unique: boolean;
}

export interface StoredEntity {
  readonly name: string;
  /** Table number of its rows. */
  readonly table: number;
  readonly fields: readonly StoredField[];
  readonly indexes: readonly StoredIndex[];
}

export interface StoredSchema {
  /** The next table number to give; numbers are never used twice. */
  readonly nextTable: number;
  readonly entities: readonly StoredEntity[];
}

/** What a plan does to the stored schema, one step each: frozen values that say everything, so that what was reviewed is what runs. */
import type { Trait } from '#config/definitions/product.ts';
import type { FieldRules } from './rules.ts';
import type { StoredType } from './stored.ts';

export interface NewField {
  readonly name: string;
  readonly type: StoredType;
  readonly rules: FieldRules;
  /** What rows that are there already show in it. */
  readonly absent: unknown;
}

export interface CreateEntity {
  readonly op: 'create_entity';
  readonly entity: string;
  readonly fields: readonly NewField[];
  readonly traits: readonly Trait[];
}

export interface AddField {
  readonly op: 'add_field';
  readonly entity: string;
  readonly field: NewField;
}

/** Rows that hold null take the field's default. */
export interface FillField {
  readonly op: 'fill_field';
  readonly entity: string;
  readonly field: string;
  readonly type: StoredType;
  readonly value: unknown;
}

export interface AlterField {
  readonly op: 'alter_field';
  readonly entity: string;
  readonly field: string;
  readonly type: StoredType;
  readonly from: FieldRules;
  readonly to: FieldRules;
  /** What rows must keep now that they need not keep before, in words. */
  readonly narrowing: readonly string[];
}

export interface RetypeField {
  readonly op: 'retype_field';
  readonly entity: string;
  readonly field: string;
  readonly from: StoredType;
  readonly to: StoredType;
  readonly rules: FieldRules;
}

export interface AddIndex {
  readonly op: 'add_index';
  readonly entity: string;
  readonly fields: readonly string[];
  readonly unique: boolean;
  /** The entity is as new as the index: no rows have to be entered. */
  readonly fresh: boolean;
}

export interface DropIndex {
  readonly op: 'drop_index';
  readonly entity: string;
  readonly fields: readonly string[];
  readonly unique: boolean;
}

export interface DropField {
  readonly op: 'drop_field';
  readonly entity: string;
  readonly field: string;
}

export interface DropEntity {
  readonly op: 'drop_entity';
  readonly entity: string;
}

export type Change =
  | CreateEntity
  | AddField
  | FillField
  | AlterField
  | RetypeField
  | AddIndex
  | DropIndex
  | DropField
  | DropEntity;

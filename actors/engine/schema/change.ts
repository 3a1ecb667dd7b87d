/** The steps of a plan on the stored schema: frozen values that hold everything a step needs, so that the reviewed plan is what runs. */
import type { Trait } from '#config/definitions/product.ts';
import type { DesiredText } from './desired.ts';
import type { FieldRules } from './rules.ts';
import type { StoredType } from './stored.ts';

export interface NewField {
  readonly name: string;
  readonly type: StoredType;
  readonly rules: FieldRules;
  /** The value that existing rows show in it. */
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

/** Sets the field's default in rows that hold null. */
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
  /** Constraints that rows need not meet before and must meet now, in words. */
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
  /** Whether the entity is new too: then no rows have to be entered. */
  readonly fresh: boolean;
}

export interface DropIndex {
  readonly op: 'drop_index';
  readonly entity: string;
  readonly fields: readonly string[];
  readonly unique: boolean;
}

export interface AddText {
  readonly op: 'add_text';
  readonly entity: string;
  readonly text: DesiredText;
  /** Whether the entity is new too: then no rows have to be entered. */
  readonly fresh: boolean;
  /** Whether it takes the place of another text index. */
  readonly replaces: boolean;
}

export interface DropText {
  readonly op: 'drop_text';
  readonly entity: string;
  readonly text: DesiredText;
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
  | AddText
  | DropText
  | DropField
  | DropEntity;

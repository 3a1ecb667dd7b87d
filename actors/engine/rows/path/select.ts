/** Parts of json fields in a `select`: `meta/address/city` (docs/contract/data.md §5.4.2). No field's name has a slash. */
import { isFailure, type Failure } from '../failure.ts';
import type { Column, EntityModel } from '../model.ts';
import type { Slots } from '../codec.ts';
import type { Computed } from '../computed.ts';
import { unknownField } from '../unknown-field.ts';
import { endOf, lengthFault, membersOf } from './parse.ts';

/** A column as it is shown: whole, or a part of its values under the name by which it was selected. */
export interface ShownColumn extends Column {
  readonly inside?: readonly string[];
  /** Of a computed field, which has no slot. */
  readonly compute?: (slots: Slots) => unknown;
}

/** The part that a name leads to. 422 where it leads into nothing, or too far. */
export function parsePart(model: EntityModel, name: string): ShownColumn | Failure {
  const cut = name.indexOf('/');
  if (cut < 0) return unknownField(model, name);
  const inside = membersOf(name.slice(cut));
  const tooLong = lengthFault([], inside);
  if (tooLong !== null) return tooLong;
  const part = endOf(model, [], name.slice(0, cut), inside, null);
  return part === undefined ? unknownField(model, name) : { ...part.column, name, inside };
}

/** The columns of a `select` that was parsed. */
export function shownColumns(model: EntityModel, select: readonly string[]): ShownColumn[] {
  return select.map((name) => {
    const computed = model.computed.get(name);
    if (computed !== undefined) return computedColumn(computed);
    const column = model.column(name) ?? parsePart(model, name);
    if (isFailure(column)) throw new Error(`${model.name} has no ${name}: the select was not parsed`);
    return column;
  });
}

/** A computed field as a column. */
export function computedColumn({ name, type, ofSlots }: Computed): ShownColumn {
  const fixed = {
    required: false,
    nullable: true,
    compare: null,
    defaulted: false,
    marker: true,
    mask: null,
    allowed: null,
  };
  return { name, type, shownType: type, at: -1, ...fixed, compute: ofSlots };
}

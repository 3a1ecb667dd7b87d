/** Converts a field's values to another type: in a plan that rewrites rows, and in every write meanwhile. */
import { compileField, type FieldCheck, type FieldFault } from '#actors/kit/field-check.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { positionOf, type Slots } from '../rows/codec.ts';
import type { FieldRules } from './rules.ts';
import type { StoredEntity, StoredType } from './stored.ts';

/** A field whose second slot is being filled while the first one is read. */
export interface Conversion {
  readonly field: string;
  readonly at: number;
  readonly nextAt: number;
  readonly convert: (value: unknown, faults: FieldFault[]) => unknown;
}

/** Whether values of one type can be converted to another at all: a file can be neither. */
export function isConvertible(from: StoredType, to: StoredType): boolean {
  return from !== 'file' && to !== 'file';
}

/** Makes the converter to a type under a field's constraints; it adds a fault for each value that does not fit. */
export function converterOf(name: string, to: StoredType, rules: FieldRules, where: string): Conversion['convert'] {
  const check: FieldCheck = compileField(name, { ...rules, type: to }, to, where);
  return (value, faults) => check.check(valueAs(value, to), faults);
}

/** The value in the form of the other type. A value without such a form is given back, and the check refuses it. Nothing is rounded. */
function valueAs(value: unknown, to: StoredType): unknown {
  const { of, ofText, ofOther, text } = FIELD_TYPES[to];
  if (value === null || of(value) !== undefined) return value;
  if (typeof value !== 'string') return text === null ? value : JSON.stringify(value);
  return ofOther?.(value) ?? ofText?.(value) ?? value;
}

export function conversionsOf(entity: StoredEntity, where: string): Conversion[] {
  return entity.fields.flatMap(({ name, slot, next }) =>
    next === undefined
      ? []
      : {
          field: name,
          at: positionOf(slot),
          nextAt: positionOf(next.slot),
          convert: converterOf(name, next.type, next.rules, where),
        },
  );
}

/** Fills the second slots of a row that is being written. */
export function convertRow(conversions: readonly Conversion[], slots: Slots, faults: FieldFault[]): void {
  for (const { at, nextAt, convert } of conversions) slots[nextAt] = convert(slots[at], faults);
}

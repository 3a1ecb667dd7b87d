/** A field's values in another type: what a plan rewrites rows with, and what writers keep up meanwhile. */
import { compileField } from '#actors/kit/field-check.ts';
import type { FieldCheck, FieldFault } from '#actors/kit/field-check.ts';
import { FIELD_TYPES } from '#actors/kit/field-type.ts';
import { positionOf } from '../rows/codec.ts';
import type { Slots } from '../rows/codec.ts';
import type { FieldRules } from './rules.ts';
import type { StoredEntity, StoredType } from './stored.ts';

const TEXTS: ReadonlySet<StoredType> = new Set(['string', 'text', 'enum']);
const MIDNIGHT = 'T00:00:00.000Z';

/** A field whose next place is filled beside the one that is read. */
export interface Conversion {
  readonly field: string;
  readonly at: number;
  readonly nextAt: number;
  readonly convert: (value: unknown, faults: FieldFault[]) => unknown;
}

/** Whether values of one type can be values of another at all: files are no values, and only they are themselves. */
export function isConvertible(from: StoredType, to: StoredType): boolean {
  return from !== 'file' && to !== 'file';
}

/** What makes a value of a type, under a field's constraints, of one of another; what does not fit is added to the faults. */
export function converterOf(name: string, to: StoredType, rules: FieldRules, where: string): Conversion['convert'] {
  const check: FieldCheck = compileField(name, { ...rules, type: to }, to, where);
  return (value, faults) => check.check(valueAs(value, to), faults);
}

/** The value as the other type writes it; what has no such form is left, and its check refuses it. Nothing is rounded. */
function valueAs(value: unknown, to: StoredType): unknown {
  if (value === null || FIELD_TYPES[to].of(value) !== undefined) return value;
  if (typeof value !== 'string') return TEXTS.has(to) ? JSON.stringify(value) : value;
  if (to === 'datetime' && FIELD_TYPES.date.of(value) !== undefined) return value + MIDNIGHT;
  if (to === 'date' && value.endsWith(MIDNIGHT)) return value.slice(0, -MIDNIGHT.length);
  return FIELD_TYPES[to].ofText?.(value) ?? value;
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

/** Fills the next places of a row that is being written. */
export function convertRow(conversions: readonly Conversion[], slots: Slots, faults: FieldFault[]): void {
  for (const { at, nextAt, convert } of conversions) slots[nextAt] = convert(slots[at], faults);
}

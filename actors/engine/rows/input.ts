/** The names that a caller may set: fields that its roles write, not the columns that the service keeps. */
import { isDeepStrictEqual } from 'node:util';
import { limits } from '#config/limits.ts';
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Slots } from './codec.ts';
import type { Column, EntityModel } from './model.ts';

/**
 * Adds a fault for every key that is no field, up to a bound. Markers (columns that the service keeps) and fields that the caller reads
 * and does not write may be sent back unchanged, and so may computed fields; `before` is the row they are compared with.
 */
export function checkNames(model: EntityModel, input: Input, before: Slots | null, faults: FieldFault[]): void {
  for (const name of model.check.strangers(input)) {
    if (faults.length === limits.data.unknownFieldsMax) return;
    const computed = model.computed.get(name);
    if (computed !== undefined) {
      const isSent = before !== null && isDeepStrictEqual(computed.ofSlots(before), input[name]);
      if (!isSent) faults.push({ field: name, code: 'read_only', message: 'is computed' });
      continue;
    }
    const column = model.column(name);
    if (column === undefined) faults.push({ field: shown(name), code: 'unknown', message: 'is not a field' });
    else if (before === null || !isSame(column, before[column.at], input[name]))
      faults.push({
        field: name,
        code: 'read_only',
        message: column.marker ? 'is kept by the service' : 'is not written by this caller',
      });
  }
}

/** Whether a value is the one that was read, masked or not. */
function isSame({ mask }: Column, before: unknown, given: unknown): boolean {
  return isDeepStrictEqual(mask === null ? before : mask(before), given);
}

/** What a caller may set: fields, and nothing that the service keeps. */
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import type { Slots } from './codec.ts';
import type { EntityModel } from './model.ts';

/** Adds a fault for every key that is no field. A marker sent back as it was read is no change (`before` is that row). */
export function checkNames(model: EntityModel, input: Input, before: Slots | null, faults: FieldFault[]): void {
  for (const name of model.check.strangers(input)) {
    const column = model.column(name);
    if (column === undefined) faults.push({ field: name, code: 'unknown', message: 'is not a field' });
    else if (before === null || before[column.at] !== input[name])
      faults.push({ field: name, code: 'read_only', message: 'is kept by the service' });
  }
}

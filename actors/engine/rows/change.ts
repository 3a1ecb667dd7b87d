/** A row with given fields set. */
import { isDeepStrictEqual } from 'node:util';
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import type { Slots } from './codec.ts';
import { checkNames } from './input.ts';
import type { EntityModel } from './model.ts';

/** The row with the given fields set, or null when no value differs. A key among the fields is not set. */
export function changed(model: EntityModel, before: Slots, input: Input, faults: FieldFault[]): Slots | null {
  checkNames(model, input, before, faults);
  const values = model.check.partial(input, faults);
  let after: Slots | null = null;
  for (let i = 1; i < values.length; i++) {
    const at = model.places[i]!;
    if (values[i] === undefined || isDeepStrictEqual(values[i], before[at])) continue;
    after ??= before.slice();
    after[at] = values[i];
  }
  return after;
}

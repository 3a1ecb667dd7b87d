/** A row with given fields set. */
import { isDeepStrictEqual } from 'node:util';
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import type { Slots } from './codec.ts';
import { checkNames } from './input.ts';
import type { EntityModel } from './model.ts';

/**
 * The row with the given fields set, or null when no value differs. A key among the fields is not set. A value of a field that the caller does
 * not read counts as another one: that a row kept its version would tell what it holds.
 */
export function changed(model: EntityModel, before: Slots, input: Input, faults: FieldFault[]): Slots | null {
  checkNames(model, input, before, faults);
  const values = model.check.partial(input, faults);
  let after: Slots | null = null;
  for (let i = 1; i < values.length; i++) {
    const at = model.places[i]!;
    if (values[i] === undefined) continue;
    if (isDeepStrictEqual(values[i], before[at]) && model.sight?.unseen.has(at) !== true) continue;
    after ??= before.slice();
    after[at] = values[i];
  }
  return after;
}

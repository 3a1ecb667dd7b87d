/** The refusal of a row with all of its faults: its own, and those that depend on other rows. */
import type { FieldFault } from '#actors/kit/field-check.ts';
import type { Slots } from './codec.ts';
import { invalid, type Failure } from './failure.ts';
import type { Bytes } from './keys/store.ts';
import type { EntityModel } from './model.ts';
import { checkTargets } from './references.ts';
import type { Turn } from './store.ts';
import { checkClaims } from './write.ts';

/** 422 with the known faults and those that depend on other rows. `id` is the row's key, '' where the key itself is at fault. */
export function everyFault(
  turn: Turn,
  model: EntityModel,
  id: Bytes,
  before: Slots | null,
  after: Slots,
  faults: FieldFault[],
): Failure {
  checkTargets(turn, model, before, after, faults);
  checkClaims(turn, model, id, after, faults);
  return invalid(faults);
}

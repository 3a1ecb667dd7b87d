/**
 * Fields that several rows share, such as the fields of a content type that are not localized. Rows with the same value of one field are
 * the parts of one whole (a document in its locales); a write that changes a shared field of one part changes it in all, in the same commit.
 */
import type { Input } from '#actors/kit/field-check.ts';
import { isDeepStrictEqual } from 'node:util';
import { UPDATED_AT, VERSION_AT, versionOf, type Slots } from './codec.ts';
import { indexRange, type Bytes } from './keys/store.ts';
import type { EntityModel, SharedFields } from './model.ts';
import { entryPage, getSlots, type Turn } from './store.ts';
import { limits } from '#config/limits.ts';

export interface Part {
  readonly id: Bytes;
  readonly before: Slots;
  readonly after: Slots;
}

/** The other parts that a write of this row changes, before and after. */
export function otherParts(turn: Turn, model: EntityModel, id: Bytes, before: Slots | null, after: Slots): Part[] {
  const { shared } = model;
  if (shared === null) return [];
  const set = shared.places.filter((at) => before === null || !isDeepStrictEqual(before[at], after[at]));
  if (set.length === 0) return [];
  return partsOf(turn, model, shared, after[shared.byAt]).flatMap((part): Part[] => {
    const changed = set.filter((at) => !isDeepStrictEqual(part.slots[at], after[at]));
    if (part.id === id || changed.length === 0) return [];
    const slots = part.slots.slice();
    for (const at of changed) slots[at] = after[at];
    slots[VERSION_AT] = versionOf(slots) + 1;
    if (model.timestamps) slots[UPDATED_AT] = after[UPDATED_AT];
    return [{ id: part.id, before: part.slots, after: slots }];
  });
}

/** The input of a new part, with the shared fields that it does not set taken from the other parts. */
export function withShared(turn: Turn, model: EntityModel, input: Input): Input {
  const { shared } = model;
  const whole = shared === null ? undefined : input[shared.by];
  if (shared === null || typeof whole !== 'string') return input;
  const present = partsOf(turn, model, shared, whole)[0];
  if (present === undefined) return input;
  const row = model.shape(present.slots);
  return { ...Object.fromEntries(shared.names.map((name) => [name, row[name]])), ...input };
}

/** The parts of a whole. A range of the index may also hold other rows, so each row is checked. */
function partsOf(turn: Turn, model: EntityModel, { index, byAt }: SharedFields, whole: unknown) {
  if (whole === null) return [];
  const entries = entryPage(turn, indexRange(index, [whole]), limits.content.localesMax);
  return entries.flatMap(({ id }) => {
    const slots = getSlots(turn, model, id);
    return slots === undefined || slots[byAt] !== whole ? [] : [{ id, slots }];
  });
}

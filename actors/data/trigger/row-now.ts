/** What leaves of an event's row: its declared fields as the row is when the event leaves (docs/contract/triggers.md §3). */
import type { Work } from '#actors/host/work.ts';
import { isDeleted, type Row, type Slots } from '#actors/engine/rows/codec.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { findRow } from '#actors/engine/rows/store.ts';
import { partOf } from '../part.ts';
import type { TriggerEntry } from './store.ts';

export interface RowNow {
  readonly model: EntityModel;
  readonly slots: Slots;
}

/** The row of an event; null where it is deleted, cannot be read, or its entity is not served. */
export function rowNow(work: Work, { entity, key }: TriggerEntry): RowNow | null {
  const model = partOf(work.activation).models.get(entity);
  const id = model?.idOf(key) ?? null;
  if (model === undefined || id === null) return null;
  const slots = findRow(work.turn(), model, id)?.slots;
  return slots === undefined || isDeleted(slots) ? null : { model, slots };
}

/** The named fields, masked ones as their masks show them. */
export function shownFields({ model, slots }: RowNow, fields: readonly string[]): Row {
  const row = model.show(slots);
  return Object.fromEntries(fields.filter((name) => name in row).map((name) => [name, row[name]]));
}

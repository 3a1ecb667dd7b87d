/** Rows of an entity as they are stored, in slices: plans read these, whatever of the entity is served. */
import type { Work } from '#actors/host/work.ts';
import { padderOf, positionOf, type Slots } from '#actors/engine/rows/codec.ts';
import { idKey, tableRange } from '#actors/engine/rows/keys/store.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { KEY_FIELD } from '#actors/engine/schema/desired.ts';
import type { StoredEntity } from '#actors/engine/schema/stored.ts';
import { measured, untilFree } from '#actors/host/pace/own-turns.ts';
import { prewarmed } from '../../prewarm.ts';
import { slice } from './slice.ts';
import type { Bytes, Turn } from './store.ts';

export interface SeenRow {
  readonly id: Bytes;
  readonly slots: Slots;
  /** As callers know it. */
  readonly shownId: unknown;
}

/**
 * Calls `visit` with the rows of one slice, from a key on. Each row is visited before the next is read, so that the visit counts for the slice.
 * Gives where the next slice begins, null after the last row.
 */
export function visitSlice(
  work: Work,
  turn: Turn,
  entity: StoredEntity,
  from: Bytes | null,
  visit: (row: SeenRow) => void,
): Bytes | null {
  const range = tableRange(entity.table);
  const pad = padderOf(entity.fields);
  const key = entity.fields.find(({ name }) => name === KEY_FIELD)!;
  let next: Bytes | null = null;
  for (const entry of slice(work, turn.range(from ?? range.from, range.to))) {
    const slots = pad(decodeSlots(entry.value));
    const shownId = slots[positionOf(key.slot)];
    next = `${entry.key}\0`;
    visit({ id: idKey(key.type, shownId), slots, shownId });
  }
  return next;
}

/** Calls `visit`, which only reads, with every row, in turns that are aborted. `between` runs before each and lets other turns run. */
export async function scanRows(
  work: Work,
  entity: StoredEntity,
  visit: (row: SeenRow, turn: Turn) => void,
  between: () => Promise<void> = () => untilFree(work),
): Promise<void> {
  await prewarmed(work, [entity.table], async () => {
    let from: Bytes | null = null;
    do {
      await between();
      const turn = work.activation.store.begin();
      from = measured(work, () => visitSlice(work, turn, entity, from, (row) => visit(row, turn)));
      work.saw(turn.newest);
      turn.abort();
    } while (from !== null);
  });
}

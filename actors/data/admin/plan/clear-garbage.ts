/** Deletes in slices the rows and index entries of tables that no schema names any more. What a crash leaves, the next plan deletes. */
import type { Work } from '#actors/host/work.ts';
import { tableRange, type KeyRange } from '#actors/engine/rows/keys/store.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { versionsRange } from '#actors/engine/rows/versions/store.ts';
import { moveUses } from '#actors/engine/files/store.ts';
import { withoutGarbage } from '#actors/engine/schema/alter.ts';
import { loadSchema, saveSchema } from '#actors/engine/schema/store.ts';
import type { Garbage } from '#actors/engine/schema/stored.ts';
import { commitTurn } from '#actors/host/pace/own-turns.ts';
import { slice } from './slice.ts';
import type { Turn } from './store.ts';
import type { Guard } from '../lock/guard.ts';

export async function clearGarbage(work: Work, guard: Guard): Promise<void> {
  const turn = work.activation.store.begin();
  const { garbage = [] } = loadSchema(turn);
  turn.abort();
  for (const piece of garbage) {
    await clear(work, piece, guard);
    await commitTurn(work, (now) => {
      guard(now);
      saveSchema(now, withoutGarbage(loadSchema(now), piece.table));
    });
  }
}

async function clear(work: Work, piece: Garbage, guard: Guard): Promise<void> {
  for (const range of [versionsRange(piece.table), tableRange(piece.table)]) {
    for (;;) {
      const slices = { cleared: 0 };
      await commitTurn(work, (turn) => {
        guard(turn);
        slices.cleared = clearSlice(work, turn, piece, range);
      });
      if (slices.cleared === 0) break;
    }
  }
}

/** Deletes the keys of one slice; gives how many, 0 where none was left. */
function clearSlice(work: Work, turn: Turn, { table, files }: Garbage, range: KeyRange): number {
  const head = tableRange(table).from;
  let cleared = 0;
  for (const { key, value } of slice(work, turn.range(range.from, range.to))) {
    const slots = files.length > 0 && key.startsWith(head) ? decodeSlots(value) : null;
    if (slots !== null) moveUses(turn, { table, files, versioned: false }, key.slice(head.length), slots, null);
    turn.del(key);
    cleared++;
  }
  return cleared;
}

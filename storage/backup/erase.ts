/** Removes everything of one store, in slices. A crash leaves a part; repeating it removes the rest. */
import type { Store } from '../port.ts';
import { limits } from '#config/limits.ts';
import type { Pace } from './pace.ts';
import { STORE_END } from './take.ts';
import { PacedWrites } from './write-back.ts';

/** Deletes every entry of the store and gives how many. Resolves when that is durable. */
export async function eraseStore(store: Store, pace: Pace): Promise<number> {
  const writes = new PacedWrites(store, pace);
  let erased = 0;
  let from = '';
  for (;;) {
    const keys = keysOf(store, from);
    for (const key of keys) await writes.del(key);
    erased += keys.length;
    if (keys.length < limits.backup.commitEntries) break;
    from = `${keys.at(-1)!}\0`;
    if (pace.over) await pace.rest();
  }
  await writes.durable();
  return erased;
}

/** Begins where the last slice ended: the entries before are tombstones by now, and a scan would meet each of them again. */
function keysOf(store: Store, from: string): string[] {
  const turn = store.begin();
  const keys: string[] = [];
  try {
    for (const { key } of turn.range(from, STORE_END)) {
      keys.push(key);
      if (keys.length === limits.backup.commitEntries) break;
    }
  } finally {
    turn.abort();
  }
  return keys;
}

/** Everything of one store away, in slices. Repeating it after a crash finishes it. */
import type { Store } from '../port.ts';
import { limits } from '#config/limits.ts';
import type { Pace } from './pace.ts';
import { STORE_END } from './take.ts';
import { PacedWrites } from './write-back.ts';

/** Deletes every entry that is there when it looks; how many. Resolves when that is durable. */
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

/** From where the last ones ended: those before are tombstones by now, and a scan would meet each again. */
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

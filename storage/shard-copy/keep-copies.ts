/**
 * What becomes of copies in the log: a copy is noted, then entries that older copies have are let go, then copies that no note names are removed. A process may end between any two of these
 * steps: what was not done is done behind the next copy.
 */
import type { LogEngine, ShardState, SnapshotNote } from '#storage/log-engine/port.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import type { Pause } from '#storage/log-engine/until-known.ts';
import { readCopyName } from './place.ts';
import type { CopyPlace } from './place.ts';

export interface Keeping {
  readonly engine: Pick<LogEngine, 'look' | 'noteSnapshot' | 'trim'>;
  readonly place: CopyPlace;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
}

/** Notes a copy, and lets go what it makes needless. False, and nothing let go, where the log has a newer one: the copy stays until the next one is noted. */
export async function keepCopy(keeping: Keeping, shard: number, note: SnapshotNote): Promise<boolean> {
  const { engine, pause } = keeping;
  const { seq, chain, name } = note;
  if (!(await untilKnown(() => engine.noteSnapshot(shard, { seq, chain, name }), pause))) return false;
  const state = await untilKnown(() => engine.look(shard), pause);
  // A read may come from a server that the others have given up: only a list that begins with what was acknowledged just now says which copies are needed.
  if (state.snapshots[0]?.name !== name) return true;
  await letGo(keeping, shard, floorOf(state), state);
  await removeUnnamed(keeping, shard, state.snapshots);
  return true;
}

/** Nothing was new, and the newest copy was read again: a shard that rests keeps no entry, so that the room of others' entries can be given back. */
export async function restOn(keeping: Keeping, shard: number, state: ShardState): Promise<void> {
  if (rests(state)) await letGo(keeping, shard, state.snapshots[0]!.seq, state);
}

/** Whether the newest copy has every entry, and some of them are still there. */
export function rests({ snapshots, tail, trimmed }: ShardState): boolean {
  const newest = snapshots[0];
  return newest !== undefined && newest.seq >= tail && trimmed < newest.seq;
}

/** All kept copies can be gone on from: the oldest one says what goes. With one copy nothing does, for there is no other where that one is damaged. */
function floorOf({ snapshots }: ShardState): number {
  return snapshots.length < 2 ? 0 : snapshots.at(-1)!.seq;
}

async function letGo({ engine, pause }: Keeping, shard: number, seq: number, { trimmed }: ShardState): Promise<void> {
  if (seq > trimmed) await untilKnown(() => engine.trim(shard, seq), pause);
}

/** A copy that is not newer than the newest note, and has none, never gets one: notes go forward. A newer one may be another node's, on its way to its note. */
async function removeUnnamed({ place }: Keeping, shard: number, notes: readonly SnapshotNote[]): Promise<void> {
  const named = new Set(notes.map(({ name }) => name));
  for (const name of await place.list(shard))
    if (!named.has(name) && readCopyName(name)!.seq <= notes[0]!.seq) await place.remove(name);
}

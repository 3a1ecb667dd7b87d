/**
 * What becomes of copies in the log: a copy is noted, then entries that older copies have are let go, then copies that nothing needs are removed. Where a history is kept, entries are put into the
 * place before they are let go, and copies stay from which they lead on. A process may end between any two of these steps: what was not done is done behind the next copy.
 */
import type { LogPlace } from '../applied.ts';
import type { LogEngine, ShardState, SnapshotNote } from '#storage/log-engine/port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import { readPieceName } from './piece-name.ts';
import { readCopyName, type CopyPlace } from './place.ts';

/** What is kept of a log behind its copies. */
export interface KeptHistory {
  /** Puts a shard's entries up to that of a noted copy into the place, those that do not lie there: resolves when they may go. */
  publish(shard: number, upTo: LogPlace): Promise<void>;
  /** What was at this instant and later can be brought back: milliseconds since 1970. */
  readonly fromMs: number;
  /** Of copies that no note names one stays for each so many milliseconds: the way from one to an instant is bounded by it, and so is their number. */
  readonly copyEveryMs: number;
}

export interface Keeping {
  readonly engine: Pick<LogEngine, 'look' | 'noteSnapshot' | 'trim'>;
  readonly place: CopyPlace;
  /** Null, or absent, where none is kept. */
  readonly history?: KeptHistory | null | undefined;
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
  await removeNeedless(keeping, shard, state.snapshots);
  return true;
}

/** Nothing was new, and the newest copy was read again: a shard that rests keeps no entry, so that the room of others' entries can be given back. */
export async function restOn(keeping: Keeping, shard: number, state: ShardState): Promise<void> {
  if (rests(state)) await letGo(keeping, shard, state.snapshots[0]!, state);
}

/** What an earlier copy should have let go, and did not, as where its entries could not be put into the place. */
export async function goOn(keeping: Keeping, shard: number, state: ShardState): Promise<void> {
  await letGo(keeping, shard, floorOf(state), state);
}

/** Of a shard without new entries: what is older than the history goes. Only what no start could go on from, since what `state` says was read, and not acknowledged. */
export async function forgetOld({ history = null, place }: Keeping, shard: number, state: ShardState): Promise<void> {
  if (history === null) return;
  const copies = await place.list(shard);
  const kept = keptFor(history, copies);
  await removePieces(place, shard, kept.base);
  const named = new Set(state.snapshots.map(({ name }) => name));
  for (const name of copies)
    if (!named.has(name) && !kept.names.has(name) && readCopyName(name)!.seq < state.trimmed) await place.remove(name);
}

/** Whether the newest copy has every entry, and some of them are still there. */
export function rests({ snapshots, tail, trimmed }: ShardState): boolean {
  const newest = snapshots[0];
  return newest !== undefined && newest.seq >= tail && trimmed < newest.seq;
}

/** All kept copies can be gone on from: the oldest one says what goes. With one copy nothing does, for there is no other where that one is damaged. */
function floorOf({ snapshots }: ShardState): SnapshotNote | null {
  return snapshots.length < 2 ? null : snapshots.at(-1)!;
}

async function letGo(
  { engine, history = null, pause }: Keeping,
  shard: number,
  floor: SnapshotNote | null,
  { trimmed }: ShardState,
): Promise<void> {
  if (floor === null || floor.seq <= trimmed) return;
  const { seq, chain } = floor;
  await history?.publish(shard, { seq, chain });
  await untilKnown(() => engine.trim(shard, seq), pause);
}

/** Pieces go before copies, so that no piece that is there has lost the copy that it leads on from. */
async function removeNeedless(keeping: Keeping, shard: number, notes: readonly SnapshotNote[]): Promise<void> {
  const { history = null, place } = keeping;
  const copies = await place.list(shard);
  const kept = history === null ? NOTHING_KEPT : keptFor(history, copies);
  await removePieces(place, shard, kept.base);
  await removeUnnamed(place, copies, notes, kept.names);
}

interface Kept {
  readonly names: ReadonlySet<string>;
  /** The entry of the oldest of them: pieces lead on from it. */
  readonly base: number;
}

const NOTHING_KEPT: Kept = { names: new Set(), base: Number.POSITIVE_INFINITY };

/** The copy from which the oldest instant that is kept can be brought back, the oldest copy where none is so old, and of the ones behind it as many as their distance allows. */
function keptFor({ copyEveryMs, fromMs }: KeptHistory, copies: readonly string[]): Kept {
  const known = copies.map((name) => ({ name, ...readCopyName(name)! }));
  const base = known.findLast(({ madeMs }) => madeMs <= fromMs) ?? known[0];
  if (base === undefined) return { names: new Set(), base: 0 };
  const names = new Set([base.name]);
  let last = base;
  for (const copy of known) {
    if (copy.seq <= base.seq || copy.madeMs < last.madeMs + copyEveryMs) continue;
    names.add(copy.name);
    last = copy;
  }
  return { names, base: base.seq };
}

async function removePieces(place: CopyPlace, shard: number, base: number): Promise<void> {
  for (const name of await place.pieces(shard)) if (readPieceName(name)!.to <= base) await place.remove(name);
}

/** A copy that is not newer than the newest note, and has none, never gets one: notes go forward. A newer one may be another node's, on its way to its note. */
async function removeUnnamed(
  place: CopyPlace,
  copies: readonly string[],
  notes: readonly SnapshotNote[],
  kept: ReadonlySet<string>,
): Promise<void> {
  const named = new Set(notes.map(({ name }) => name));
  for (const name of copies)
    if (!named.has(name) && !kept.has(name) && readCopyName(name)!.seq <= notes[0]!.seq) await place.remove(name);
}

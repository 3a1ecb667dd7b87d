/**
 * A shard's store of files as the first copy of an empty log: the shard is claimed, two entries without records make the place that the copy is at, and the copy says that place instead of the
 * journal's number. The store itself is only read. Ended in between, or run again, all of it is done anew: files may have gone on acknowledging meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { logMarks, NOWHERE, readApplied, readReach, type LogPlace } from '../applied.ts';
import { makeDirectory } from '../directory.ts';
import { openEnvironment, type Environment } from '../environment.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { chained } from '#storage/log-engine/chain.ts';
import { EngineRefused, type LogEngine } from '#storage/log-engine/port.ts';
import { EMPTY_BASE, takeOver } from '#storage/log-engine/take-over.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { CopyPlace } from './place.ts';
import { storeCopy, type MadeCopy } from './take-copy.ts';

export interface AdoptShard {
  readonly engine: LogEngine;
  readonly place: CopyPlace;
  /** As for `takeCopy`. */
  readonly seal?: LogSeal | null | undefined;
  readonly pause: Pause;
  readonly shard: number;
  /** The directory of the store, which no process has open. */
  readonly path: string;
  /** A directory for as long as this runs. */
  readonly scratch: string;
  /** The name under which the shard is claimed; it stays claimed. */
  readonly owner: string;
  readonly pace: Pace;
  /** Milliseconds since 1970, and not before any instant in the store. */
  readonly now: () => number;
}

/** Null for a store in which nothing was ever written. Rejects with EngineRefused where another owner was in the log of the shard. */
export async function adoptShard(work: AdoptShard): Promise<MadeCopy | null> {
  const { engine, shard, pause, scratch } = work;
  await rm(scratch, { recursive: true, force: true });
  try {
    if (!(await copied(work))) return null;
    const { epoch, at } = await placeFor(work);
    await marked(scratch, epoch, at);
    const made = await storeCopy(work);
    const { seq, chain, name } = made;
    if (!(await untilKnown(() => engine.noteSnapshot(shard, { seq, chain, name }), pause)))
      throw new EngineRefused(`shard ${shard}: the log has a newer copy, so another process is at work in it`);
    // A start without the copy must refuse, and not serve an empty shard: nothing can be read from the log's beginning.
    await untilKnown(() => engine.trim(shard, seq), pause);
    return made;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** False where the store has nothing. */
async function copied({ shard, path, scratch }: AdoptShard): Promise<boolean> {
  const environment = openEnvironment(path, { readOnly: true, onFatal: () => undefined });
  try {
    if (readReach(environment) !== null)
      throw new EngineRefused(`shard ${shard}: the store in ${path} follows a log already`);
    if (readApplied(environment).epoch === 0) return false;
    await environment.copyTo(makeDirectory(scratch));
    return true;
  } finally {
    await environment.close();
  }
}

/** Claims the shard; gives the newest entry, whose instant no instant in the store is later than. */
async function placeFor({ engine, shard, owner, pause, now }: AdoptShard): Promise<{ epoch: number; at: LogPlace }> {
  const { epoch: seen, owner: before, snapshots } = await untilKnown(() => engine.look(shard), pause);
  if (seen > 0 && before !== owner)
    throw new EngineRefused(`shard ${shard}: the log is not empty: it was claimed before`);
  const token = randomUUID();
  const owned = await takeOver({
    engine,
    wish: { shard, seen, owner, token },
    base: snapshots[0] ?? EMPTY_BASE,
    bytesMax: engine.entryBytesMax,
    pause,
    take: (entries) => {
      if (entries.some(({ first }) => first !== 0))
        throw new EngineRefused(`shard ${shard}: the log is not empty: it has records`);
    },
  });
  if (owned === null) throw new EngineRefused(`shard ${shard}: another process has claimed it meanwhile`);
  const { epoch, seq, chain } = owned;
  const time = Math.max(owned.time, now());
  const plain = { shard, epoch, seq: seq + 1, confirmed: seq, first: 0, time, body: Buffer.from(token) };
  const entry = chained(chain, plain);
  const [outcome] = await untilKnown(() => engine.append([entry]), pause);
  if (outcome !== 'durable') throw new EngineRefused(`shard ${shard}: another process has claimed it meanwhile`);
  return { epoch, at: { seq: entry.seq, chain: entry.chain } };
}

/** Records of the log come behind: its epochs are others than those of files, and begin with this one. */
async function marked(directory: string, epoch: number, at: LogPlace): Promise<void> {
  await changed(directory, (environment) =>
    environment.commit(logMarks({ epoch, number: 0 }, NOWHERE, { whole: at, through: at }).last),
  );
}

/** Opens a store that no process has open, for one change. A commit that fails rejects. */
export async function changed<T>(directory: string, change: (environment: Environment) => Promise<T>): Promise<T> {
  const environment = openEnvironment(directory, { onFatal: () => undefined });
  try {
    return await change(environment);
  } finally {
    await environment.close();
  }
}

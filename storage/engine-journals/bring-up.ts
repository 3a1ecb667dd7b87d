/** How a shard's LMDB comes to the end of its log: the claim, and then every entry that it does not have, by the same way as records of files after a crash (../catch-up.ts). */
import { randomUUID } from 'node:crypto';
import type { CatchUpBounds } from '../catch-up.ts';
import type { Environment } from '../environment.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import type { ClaimWish, LogEngine, LogEntry, ShardState } from '#storage/log-engine/port.ts';
import { takeOver, type Owned } from '#storage/log-engine/take-over.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { LogFollower } from './log-follower.ts';

export interface BringUp {
  readonly engine: LogEngine;
  readonly shard: number;
  readonly environment: Environment;
  /** The name under which the shard is claimed, for people. */
  readonly owner: string;
  readonly bounds: CatchUpBounds;
  /** Null where the log is not sealed. */
  readonly seal?: LogSeal | null | undefined;
  /** Bytes of entries that are read at once. */
  readonly readBytesMax: number;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
  /** Asked behind the look at a shard, before its claim: whether this node had its place until now. Otherwise another one may own the shard by the epoch that was seen. */
  readonly mayClaim?: (() => boolean | Promise<boolean>) | undefined;
}

export interface BroughtUp {
  readonly owned: Owned;
  /** Records that were new to LMDB. */
  readonly records: number;
}

/**
 * Null when another claimer was faster. A claim that missed its epoch is made again by a node that has its place still: what came between was the owner before, which gave the shard up behind its place, or
 * a late claim of a life that is over. Rejects with EngineRefused when LMDB is not the beginning of this log, with TrimGap when entries are gone that it needs, and with Corruption.
 * LMDB keeps what it had then: it is written to only behind entries that follow it.
 */
export async function bringUp(work: BringUp): Promise<BroughtUp | null> {
  const { engine, shard, environment, owner, readBytesMax: bytesMax, pause } = work;
  const follower = new LogFollower(shard, environment, work.bounds, work.seal);
  const wishFrom = (seen: number): ClaimWish => ({ shard, seen, owner, token: randomUUID() });
  const again = async ({ seen }: ClaimWish): Promise<ClaimWish> => wishFrom(await epochBehind(work, seen));
  const seen = await lookOf(work);
  const wish = wishFrom(seen.epoch);
  const take = (entries: readonly LogEntry[]): Promise<void> => follower.take(entries);
  const owned = await takeOver({
    engine,
    wish,
    ...(work.mayClaim !== undefined && { again }),
    base: follower.base,
    trimmed: seen.trimmed,
    bytesMax,
    take,
    pause,
  });
  if (owned === null) return null;
  await follower.end(owned);
  return { owned, records: follower.records };
}

/** The shard as it is to be claimed: its epoch is one that no node which came behind this one has made. */
async function lookOf({ engine, shard, pause, mayClaim = () => true }: BringUp): Promise<ShardState> {
  for (;;) {
    const state = await untilKnown(() => engine.look(shard), pause);
    if (await mayClaim()) return state;
    await pause(new OutcomeUnknown('this node does not know that it has its place still'));
  }
}

/** The epoch to claim from next, behind a claim that missed. The server that answers may be behind the one that refused the claim. */
async function epochBehind(work: BringUp, missed: number): Promise<number> {
  const { epoch } = await lookOf(work);
  if (epoch !== missed) return epoch;
  await work.pause(new OutcomeUnknown(`shard ${work.shard}: a claim missed, and its epoch is said to be as before`));
  return (await lookOf(work)).epoch;
}

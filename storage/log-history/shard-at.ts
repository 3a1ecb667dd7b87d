/**
 * A shard as it was at an instant, in a store of its own: the newest copy from before, and behind it every entry whose instant is not later. An entry has the instant of its newest record, and none is earlier than
 * the one before it, so that what was answered by then is there, and nothing that was written later.
 */
import { rm } from 'node:fs/promises';
import { forgetMarks, readReach } from '../applied.ts';
import type { CatchUpBounds } from '../catch-up.ts';
import { dataFile } from '../data-file.ts';
import { makeDirectory } from '../directory.ts';
import { openEnvironment } from '../environment.ts';
import { LogFollower } from '#storage/engine-journals/log-follower.ts';
import { EngineRefused, OutcomeUnknown } from '#storage/log-engine/port.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { fetchStored } from '#storage/shard-copy/fetch-stored.ts';
import { readCopyName, type CopyName } from '#storage/shard-copy/place.ts';
import { placeIn } from '#storage/shard-copy/take-copy.ts';
import { entriesBehind, type ReadHistory } from './read-history.ts';

export interface ShardAt extends ReadHistory {
  /** The directory of the store, which is made. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly untilMs: number;
  readonly bounds: CatchUpBounds;
  /** Changes nothing in the log, and resolves as a change of it does: what was read before is on all copies then. */
  readonly settle: () => Promise<void>;
}

export interface BroughtTo {
  /** When the copy was made from which it goes on: milliseconds since 1970. */
  readonly copyMs: number;
  /** Records that were applied. */
  readonly records: number;
  /** Copies that were tried before, and why they could not be used. */
  readonly faults: readonly string[];
}

/** No copy is from before the instant, or none of them can be used. */
export class TooEarly extends Error {}

/** The copy has something of later than the instant. */
class IsLater extends Error {}

/** The store is one of files then, and belongs to no log. Rejects with TooEarly, with HistoryGap, and with EngineRefused as where the vault lacks a key. */
export async function bringShardTo(work: ShardAt): Promise<BroughtTo> {
  const { place, shard, untilMs } = work;
  const copies = (await place.list(shard)).map((name) => ({ name, ...readCopyName(name)! }));
  const faults: string[] = [];
  for (const copy of copies.toReversed()) {
    if (copy.madeMs > untilMs) continue;
    await rm(work.path, { recursive: true, force: true });
    try {
      await fetchCopy(work, copy);
    } catch (error) {
      if (error instanceof EngineRefused) throw error;
      faults.push(`${copy.name}: ${(error as Error).message}`);
      continue;
    }
    try {
      return { copyMs: copy.madeMs, records: await broughtOn(work), faults };
    } catch (error) {
      if (!(error instanceof IsLater)) throw error;
    }
  }
  throw new TooEarly(refusal(work, copies, faults));
}

function refusal({ place, shard, untilMs }: ShardAt, copies: readonly CopyName[], faults: readonly string[]): string {
  const asked = new Date(untilMs).toISOString();
  if (faults.length > 0) return `no copy of shard ${shard} from before ${asked} can be used: ${faults.join('; ')}`;
  const [oldest] = copies;
  const first =
    oldest === undefined
      ? `there is no copy of shard ${shard} in ${place.where}`
      : `the oldest copy of shard ${shard} in ${place.where} is of ${new Date(oldest.madeMs).toISOString()}: name that instant, or a later one`;
  return `what was at ${asked} cannot be brought back: ${first}`;
}

async function fetchCopy(work: ShardAt, copy: CopyName & { readonly name: string }): Promise<void> {
  const { path, place, room, seal, shard } = work;
  const to = dataFile(makeDirectory(path));
  await fetchStored({ place, name: copy.name, sha256: copy.sha256, shard, seal, to, room });
  const { seq, chain } = await placeIn(path, shard);
  if (seq !== copy.seq || chain !== copy.chain)
    throw new Error(`it is at entry ${seq} of another log, or of another place in this one`);
}

/** Gives how many records were applied. */
async function broughtOn(work: ShardAt): Promise<number> {
  const { bounds, path, seal, shard } = work;
  const environment = openEnvironment(path, {
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    const follower = new LogFollower(shard, environment, bounds, seal);
    const through = readReach(environment)!.through.seq;
    await follow(work, follower);
    // A copy may have been made in the middle of a sweep: it has a part of entries behind those that it has wholly.
    if (through > follower.newest.seq) throw new IsLater();
    await environment.commit(forgetMarks());
    return follower.records;
  } finally {
    await environment.close();
  }
}

async function follow(work: ShardAt, follower: LogFollower): Promise<void> {
  const { room, untilMs } = work;
  for await (const entries of entriesBehind(work, follower.base)) {
    const taken = entries.filter(({ time }) => time <= untilMs);
    await room?.();
    if (taken.length > 0) await follower.take(taken);
    if (taken.length < entries.length) return;
  }
  await assertSettled(work, follower.newest.seq, follower.newest.chain);
}

/**
 * The end of the log was read: its newest entry may lie on one server alone, which is given up before the others have it. It counts when a change behind it was acknowledged, and it is still there.
 */
async function assertSettled(work: ShardAt, seq: number, chain: string): Promise<void> {
  const { engine, pause, settle, shard } = work;
  const { confirmed } = await untilKnown(() => engine.look(shard), pause);
  if (seq <= confirmed) return;
  await untilKnown(settle, pause);
  if ((await untilKnown(() => chainAt(work, seq), pause)) === chain) return;
  throw new EngineRefused(
    `shard ${shard}: entry ${seq} of the log was lost with a server while it was read: begin again`,
  );
}

/** Undefined where the log has no such entry. One that was let go meanwhile is in a copy, which has nothing that is not on all servers. */
async function chainAt({ engine, shard }: ShardAt, seq: number): Promise<string | undefined> {
  const { epoch, snapshots, trimmed } = await engine.look(shard);
  if (trimmed >= seq) return snapshots.find((note) => note.seq === seq)?.chain;
  const chunk = await engine.readOwn(shard, epoch, seq - 1, 1);
  if (chunk === null) throw new OutcomeUnknown(`shard ${shard}: another owner claims it`);
  return chunk.entries[0]?.chain;
}

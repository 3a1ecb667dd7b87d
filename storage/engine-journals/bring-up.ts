/** How a shard's LMDB comes to the end of its log: the claim, and then every entry that it does not have, by the same way as records of files after a crash (../catch-up.ts). */
import { randomUUID } from 'node:crypto';
import { NOWHERE, readApplied, readReach } from '../applied.ts';
import type { LogPlace, LogReach } from '../applied.ts';
import { CatchUp } from '../catch-up.ts';
import type { CatchUpBounds } from '../catch-up.ts';
import type { Environment } from '../environment.ts';
import { EngineRefused, OutcomeUnknown } from '#storage/log-engine/port.ts';
import type { LogEngine, LogEntry } from '#storage/log-engine/port.ts';
import { takeOver } from '#storage/log-engine/take-over.ts';
import type { Owned } from '#storage/log-engine/take-over.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import type { Pause } from '#storage/log-engine/until-known.ts';
import { BodyReader } from './body.ts';

export interface BringUp {
  readonly engine: LogEngine;
  readonly shard: number;
  readonly environment: Environment;
  /** The name under which the shard is claimed, for people. */
  readonly owner: string;
  readonly bounds: CatchUpBounds;
  /** Bytes of entries that are read at once. */
  readonly readBytesMax: number;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
  /** Asked behind the look at a shard, before its claim: whether this node held its lease until now. Otherwise another one may own the shard by the epoch that was seen. */
  readonly mayClaim?: (() => boolean) | undefined;
}

export interface BroughtUp {
  readonly owned: Owned;
  /** Records that were new to LMDB. */
  readonly records: number;
}

/**
 * Null when another claimer was faster. Rejects with EngineRefused when LMDB is not the beginning of this log, with TrimGap when entries are gone that it needs, and with Corruption.
 * LMDB keeps what it had then: it is written to only behind entries that follow it.
 */
export async function bringUp(work: BringUp): Promise<BroughtUp | null> {
  const { engine, shard, environment, owner, readBytesMax: bytesMax, pause } = work;
  const follower = new LogFollower(shard, environment, work.bounds);
  const seen = await epochOf(work);
  const wish = { shard, seen, owner, token: randomUUID() };
  const take = (entries: readonly LogEntry[]): Promise<void> => follower.take(entries);
  const owned = await takeOver({ engine, wish, base: follower.base, bytesMax, take, pause });
  if (owned === null) return null;
  await follower.end(owned);
  return { owned, records: follower.records };
}

/** The epoch to claim from: one that no node which came behind this one has made. */
async function epochOf({ engine, shard, pause, mayClaim = () => true }: BringUp): Promise<number> {
  for (;;) {
    const { epoch } = await untilKnown(() => engine.look(shard), pause);
    if (mayClaim()) return epoch;
    await pause(new OutcomeUnknown('the lease of this node has run out'));
  }
}

/** Takes entries into an environment. */
class LogFollower {
  readonly #shard: number;
  readonly #catchUp: CatchUp;
  readonly #reader = new BodyReader();
  /** What the environment said at first. */
  readonly #found: LogReach;
  #whole: LogPlace;
  /** The newest entry that was taken. */
  #newest: LogPlace;
  records = 0;

  constructor(shard: number, environment: Environment, bounds: CatchUpBounds) {
    const reach = readReach(environment);
    const { epoch, number } = readApplied(environment);
    if (reach === null && epoch > 0)
      throw new EngineRefused(
        `shard ${shard}: its store has record ${number} of files, and no place in a log elsewhere`,
      );
    this.#shard = shard;
    this.#catchUp = new CatchUp(environment, bounds);
    this.#found = reach ?? NOWHERE;
    this.#whole = this.#newest = this.#found.whole;
  }

  get base(): LogPlace {
    return this.#found.whole;
  }

  async take(entries: readonly LogEntry[]): Promise<void> {
    for (const entry of entries) {
      this.#newest = { seq: entry.seq, chain: entry.chain };
      if (entry.seq === this.#found.through.seq) this.#compare(entry.chain);
      this.#catchUp.at({ whole: this.#whole, through: this.#newest });
      for (const record of this.#reader.take(entry)) if (await this.#catchUp.add(record)) this.records++;
      // What is read again after a crash begins with the first part of a record.
      if (!this.#reader.isBetween) this.#whole = this.#newest;
    }
    // Entries are views of what was read at once: nothing of it is kept longer.
    await this.#catchUp.commit();
  }

  /** A store that a crash tore in the middle of a sweep has something of an entry behind those that it has wholly. */
  #compare(chain: string): void {
    const { through } = this.#found;
    if (chain !== through.chain)
      throw new EngineRefused(
        `shard ${this.#shard}: entry ${through.seq} is not the one of which its store has a part`,
      );
  }

  /** The owner's own entry is the end. */
  async end({ seq, chain }: Owned): Promise<void> {
    const { whole, through } = this.#found;
    if (through.seq > Math.max(this.#newest.seq, whole.seq))
      throw new EngineRefused(
        `shard ${this.#shard}: the log ends before entry ${through.seq}, of which its store has a part`,
      );
    this.#catchUp.at({ whole: { seq, chain }, through: { seq, chain } });
    await this.#catchUp.commit();
  }
}

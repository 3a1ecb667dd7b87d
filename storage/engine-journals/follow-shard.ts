/**
 * A shard's LMDB behind a log that another node writes. Only what a writer has confirmed is taken: every such entry was acknowledged, so no fail-over of the database and no claim takes it
 * back, and whatever server answers has the same one there. What is not confirmed yet is read behind a claim (bring-up.ts).
 */
import type { CatchUpBounds } from '../catch-up.ts';
import type { Environment } from '../environment.ts';
import type { Bytes } from '../port.ts';
import { firstBreak } from '#storage/log-engine/chain.ts';
import { EngineRefused, type LogEngine } from '#storage/log-engine/port.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { LogFollower } from './log-follower.ts';

export interface FollowShard {
  readonly engine: Pick<LogEngine, 'readConfirmed'>;
  readonly shard: number;
  readonly environment: Environment;
  readonly bounds: CatchUpBounds;
  /** Null where the log is not sealed. */
  readonly seal?: LogSeal | null | undefined;
  /** Bytes of entries that are read at once. */
  readonly readBytesMax: number;
  /** Is told of one key of each record that is new here. */
  readonly saw?: (key: Bytes) => void;
}

export class ShardFollower {
  readonly #work: FollowShard;
  readonly #follower: LogFollower;

  /** Throws EngineRefused where the environment follows files, and Corruption. */
  constructor(work: FollowShard) {
    this.#work = work;
    const { shard, environment, bounds, seal, saw } = work;
    this.#follower = new LogFollower(shard, environment, bounds, seal, saw);
  }

  /** The newest entry that is here. */
  get seq(): number {
    return this.#follower.newest.seq;
  }

  /**
   * Takes the next entries, about `readBytesMax` bytes of them; gives whether there may be more. What was taken is durable here. Rejects with OutcomeUnknown, with TrimGap where entries are gone that it
   * needs, with EngineRefused where the environment is not the beginning of this log, and with Corruption.
   */
  async step(): Promise<boolean> {
    const { engine, shard, readBytesMax } = this.#work;
    const { seq, chain } = this.#follower.newest;
    const { entries, end } = await engine.readConfirmed(shard, seq, readBytesMax);
    const broken = firstBreak(seq, chain, entries);
    if (broken !== null)
      throw new EngineRefused(`shard ${shard}: entry ${broken} of the log does not follow what was read before`);
    if (entries.length === 0) return false;
    await this.#follower.take(entries);
    return this.seq < end;
  }
}

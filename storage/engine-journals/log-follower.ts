/** Entries of a log on their way into a shard's LMDB: those behind a claim (bring-up.ts), and those that a standby follows while another node writes them (follow-shard.ts). */
import { NOWHERE, readApplied, readReach, type LogPlace, type LogReach } from '../applied.ts';
import { CatchUp, type CatchUpBounds } from '../catch-up.ts';
import type { Environment } from '../environment.ts';
import type { Bytes } from '../port.ts';
import { EngineRefused, type LogEntry } from '#storage/log-engine/port.ts';
import type { Owned } from '#storage/log-engine/take-over.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { BodyReader } from './body.ts';

/** Takes entries of a shard, in order, into its environment. */
export class LogFollower {
  readonly #shard: number;
  readonly #catchUp: CatchUp;
  readonly #reader: BodyReader;
  /** What the environment said at first. */
  readonly #found: LogReach;
  #whole: LogPlace;
  /** The newest entry that was taken. */
  #newest: LogPlace;
  records = 0;

  /** `saw` is told of one key of each record that is new here. Throws EngineRefused where the environment follows files, and Corruption. */
  constructor(
    shard: number,
    environment: Environment,
    bounds: CatchUpBounds,
    seal: LogSeal | null = null,
    saw?: (key: Bytes) => void,
  ) {
    const reach = readReach(environment);
    const { epoch, number } = readApplied(environment);
    if (reach === null && epoch > 0)
      throw new EngineRefused(
        `shard ${shard}: its store has record ${number} of files, and no place in a log elsewhere`,
      );
    this.#shard = shard;
    this.#reader = new BodyReader(seal);
    this.#catchUp = new CatchUp(environment, bounds, saw);
    this.#found = reach ?? NOWHERE;
    this.#whole = this.#newest = this.#found.whole;
  }

  /** How far the environment was at first. */
  get base(): LogPlace {
    return this.#found.whole;
  }

  /** The newest entry that was taken. */
  get newest(): LogPlace {
    return this.#newest;
  }

  /** They must follow what was taken before: the caller compares chains. What it resolves behind is durable in the environment. */
  async take(entries: readonly LogEntry[]): Promise<void> {
    await this.#reader.know(entries);
    for (const entry of entries) {
      this.#newest = { seq: entry.seq, chain: entry.chain };
      if (entry.seq === this.#found.through.seq) this.#compare(entry.chain);
      this.#catchUp.at({ whole: this.#whole, through: this.#newest });
      for (const record of this.#reader.take(entry)) if (await this.#catchUp.add(record)) this.records++;
      // What is read again after a crash begins with the first part of a record.
      if (!this.#reader.isBetween) this.#whole = this.#newest;
    }
    this.#catchUp.at({ whole: this.#whole, through: this.#newest });
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

/**
 * Logs elsewhere as the journals of a thread's shards: one log for each, and one group commit for all. A shard that another owner takes is lost alone; the others go on. Why so:
 * docs/decisions/storage.md ST-32.
 */
import type { CatchUpBounds } from '../catch-up.ts';
import { LOST } from '#storage/journal/port.ts';
import type { Found, Journals, JournalStats, OpenJournals, ShardJournal } from '#storage/journal/port.ts';
import type { DamagedJournal } from '#storage/journal/replay.ts';
import { OutcomeUnknown, type LogEngine } from '#storage/log-engine/port.ts';
import type { Pause } from '#storage/log-engine/until-known.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { Appender, type FlushWatch } from './appender.ts';
import { bringUp, type BroughtUp } from './bring-up.ts';
import { ShardLog } from './shard-log.ts';

export interface EngineJournalsOptions {
  /** It is the caller's, who closes it behind the journals. */
  readonly engine: LogEngine;
  /** The name under which shards are claimed, for people. */
  readonly owner: string;
  readonly bounds: CatchUpBounds;
  /** Bodies are sealed by it; null, or absent, where they stay as they are. */
  readonly seal?: LogSeal | null | undefined;
  /** Bytes of entries that are read at once, for each of `opensMax` shards. */
  readonly readBytesMax: number;
  /** Shards that are brought up at the same time. */
  readonly opensMax: number;
  /** Bytes of records without an outcome from which no record is taken: StorageFull. */
  readonly waitingBytesMax: number;
  /** Between two calls of which the first had no outcome. */
  readonly pause: Pause;
  /** Whether this node had its place until now (bring-up.ts); absent where no other node comes. */
  readonly mayClaim?: () => boolean | Promise<boolean>;
  /** Milliseconds since 1970: the clock of all instants that records have. */
  readonly now: () => number;
  readonly watch?: FlushWatch;
  /** A shard was claimed. Instants of its records begin above `time`, which no earlier owner's are later than. */
  readonly onOwned?: (shard: number, time: number) => void;
}

/** Claims the shards and brings each environment to the end of its log. A shard that another owner claims meanwhile is stopped; EngineRefused, TrimGap and Corruption reject. */
export function engineJournals(options: EngineJournalsOptions): OpenJournals {
  return async (environments, onFatal) => {
    const stopped = new Map<number, DamagedJournal>();
    const brought = new Map<number, BroughtUp>();
    const left = [...environments];
    const work = async (): Promise<void> => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        const [shard, environment] = one;
        const up = await bringUp({ ...options, shard, environment }).catch((error: unknown) => {
          left.length = 0;
          throw error;
        });
        if (up === null) stopped.set(shard, taken(shard));
        else brought.set(shard, up);
      }
    };
    // All of them end before an error is thrown: the caller closes the environments then.
    const ends = await Promise.allSettled(Array.from({ length: options.opensMax }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    let records = 0;
    for (const [shard, up] of brought) {
      records += up.records;
      options.onOwned?.(shard, up.owned.time);
    }
    const journals = new EngineJournals(options, brought, onFatal);
    return { journals, found: { records, stopped, cuts: [], harmless: [] } satisfies Found };
  };
}

function taken(shard: number): DamagedJournal {
  const where = `the log of shard ${shard}`;
  return { journal: where, where, what: `${where}: ${LOST}`, from: 0, to: Number.POSITIVE_INFINITY };
}

class EngineJournals implements Journals {
  readonly #engine: LogEngine;
  readonly #appender: Appender;
  readonly #shards = new Map<number, ShardLog>();

  constructor(
    { engine, waitingBytesMax, pause, now, seal, watch }: EngineJournalsOptions,
    brought: ReadonlyMap<number, BroughtUp>,
    onFatal: (error: Error) => void,
  ) {
    this.#engine = engine;
    const appender = new Appender({ engine, waitingBytesMax, pause, onFatal, watch });
    this.#appender = appender;
    for (const [shard, { owned }] of brought) {
      const log: ShardLog = new ShardLog({
        shard,
        owned,
        entryBytesMax: engine.entryBytesMax,
        seal,
        now,
        admit: () => appender.admit(),
        wake: (bytes) => appender.wake(log, bytes),
      });
      this.#shards.set(shard, log);
    }
  }

  of(shard: number): ShardJournal {
    const log = this.#shards.get(shard);
    if (log === undefined) throw new Error(`shard ${shard} has no journal here`);
    return log;
  }

  onDurable(listener: () => void): void {
    this.#appender.onDurable = listener;
  }

  onLost(listener: (shard: number) => void): void {
    this.#appender.onLost = listener;
  }

  stats(): JournalStats {
    const { bytes, flushes: syncs } = this.#appender;
    let records = 0;
    for (const { last } of this.#shards.values()) records += last;
    return { bytes, records, syncs, segments: 0 };
  }

  seal(): void {
    this.#appender.seal();
  }

  halt(): void {
    this.#appender.halt();
  }

  settled(): Promise<void> {
    return this.#appender.settled();
  }

  /** Gives the shards up that are still held here, so that the next owner need not wait. It claims them all the same where that has no outcome. */
  async close(isFollowed: boolean): Promise<void> {
    await this.settled();
    if (this.#appender.isHalted) return;
    this.#appender.halt();
    if (!isFollowed) return;
    for (const { shard, epoch, isLost } of this.#shards.values()) if (!isLost) await this.#release(shard, epoch);
  }

  async #release(shard: number, epoch: number): Promise<void> {
    try {
      await this.#engine.release(shard, epoch);
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
    }
  }
}

/**
 * Copies of the shards of a node on a log, on main: the schedule, one shard at a time, what the log notes of them, what operators are told. The bytes are the hosts' work (`copy-job.ts`).
 * A failure harms no caller: writes go on, and the log grows until copies are made again.
 */
import { hasCopies } from '#config/journal-problems.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import type { LogEngine } from '#storage/log-engine/port.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { forgetOld, goOn, keepCopy, rests, restOn } from '#storage/shard-copy/keep-copies.ts';
import type { Keeping, KeptHistory } from '#storage/shard-copy/keep-copies.ts';
import { readCopyName, type CopyPlace } from '#storage/shard-copy/place.ts';
import type { Log } from '#actors/host/activation.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import { oneSample, type MetricFamily } from '#runtime/observe/exposition.ts';
import { runJob } from '#runtime/backups/run-job.ts';
import { Schedule } from '#runtime/backups/schedule.ts';
import type { Told } from '#runtime/provision.ts';
import type { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';

const { copyFirstAfterMs, copyLateMs, copyRetryMs } = limits.storage;
/** The name under which trouble is listed. */
const TROUBLE = 'copies of shards';

/** The log in the database, for main. */
export interface CopiedLog {
  readonly engine: LogEngine;
  readonly place: CopyPlace;
  /** The id of the log. */
  readonly id: string;
}

export interface ShardCopiesPorts {
  readonly platform: () => Platform;
  readonly hosts: Pick<TenantHostRoom, 'beginJob' | 'lookAtJob' | 'shardCount'>;
  /** Loads the client of databases; asked when it is wanted first. */
  readonly open: () => Promise<CopiedLog>;
  readonly clock: Clock;
  readonly log: Log;
  readonly degraded: Degraded;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Shards that were `copied`, and those of which the newest copy had everything (`unchanged`); `bytes` of the copies, `pieces` of the log that were put beside them (`storage.history`), `chapters` of
 * it that the database dropped, `seconds`.
 */
export type CopiesReport = Readonly<
  Record<'copied' | 'unchanged' | 'bytes' | 'pieces' | 'chapters' | 'seconds', number>
>;

/** What a round adds up. */
type Summed = Record<'copied' | 'unchanged' | 'bytes' | 'pieces', number>;

const ignore: Told = () => undefined;

export class ShardCopies {
  readonly #ports: ShardCopiesPorts;
  #schedule: Schedule | null = null;
  #timer: NodeJS.Timeout | undefined;
  #opened: Promise<CopiedLog> | null = null;
  #runsSince: number | null = null;
  #failingSince: number | null = null;
  /** Milliseconds since 1970 at which the last round of copies that went well began; 0 before the first since the start. */
  #copiedAt = 0;
  #failures = 0;
  #isStopped = false;

  constructor(ports: ShardCopiesPorts) {
    this.#ports = ports;
  }

  /** Begins the schedule, where the platform file names a place. */
  start(): void {
    const { clock, platform } = this.#ports;
    if (!hasCopies(platform())) return;
    const first = clock.now() + Math.min(copyFirstAfterMs, this.#everyMs);
    this.#schedule = new Schedule(this.#everyMs, copyRetryMs, null, first);
    this.#timer = setInterval(() => this.#tick(), limits.backup.tickMs).unref();
  }

  /** Begins nothing more. The hosts give up their copies when they drain; what is under way in the log is settled by the next copy. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const opened = await this.#opened?.catch(() => null);
    await opened?.engine.close();
  }

  /** None where no copies are made. */
  families(): MetricFamily[] {
    if (!hasCopies(this.#ports.platform())) return [];
    return [
      oneSample('skep_log_copy_every_seconds', 'gauge', 'storage.journal.snapshots.every.', this.#everyMs / 1000),
      oneSample(
        'skep_log_copy_timestamp_seconds',
        'gauge',
        'When the last round in which every shard was copied, or was unchanged, began; 0 before the first since the start.',
        this.#copiedAt / 1000,
      ),
      oneSample('skep_log_copy_failures_total', 'counter', 'Rounds of copies of shards that failed.', this.#failures),
    ];
  }

  #tick(): void {
    if (this.#schedule!.step(this.#ports.clock.now()) === 'begin')
      void this.#run(ignore, this.#everyMs / 2).catch(() => undefined); // it was logged
  }

  get #everyMs(): number {
    return durationMs(this.#ports.platform().storage.journal.snapshots.every);
  }

  /** Copies every shard that has new entries, and cuts the log behind the copies. One round at a time. Rejects when a shard failed, behind the others. */
  now(told: Told = ignore): Promise<CopiesReport> {
    return this.#run(told, 0);
  }

  /** `freshMs`: a copy that is younger is new enough, so that a node which is started again and again does not copy each time. */
  async #run(told: Told, freshMs: number): Promise<CopiesReport> {
    const { clock, platform } = this.#ports;
    if (!hasCopies(platform()))
      throw new Error(
        'the platform file names no place for copies of shards, or no log\n    add to storage.journal for example snapshots: { to: /mnt/copies }',
      );
    if (this.#runsSince !== null)
      throw new Error(`copies are being made since ${timestamp(this.#runsSince)}: wait for their end`);
    const since = (this.#runsSince = clock.now());
    this.#schedule?.began();
    try {
      const report = await this.#round(since, told, since - freshMs);
      this.#copiedAt = since;
      this.#succeeded(report);
      return report;
    } catch (error) {
      this.#failed(error as Error);
      throw error;
    } finally {
      this.#runsSince = null;
    }
  }

  async #round(since: number, told: Told, freshFrom: number): Promise<CopiesReport> {
    const { clock, hosts } = this.#ports;
    const log = await this.#log();
    const faults: string[] = [];
    const sum: Summed = { copied: 0, unchanged: 0, bytes: 0, pieces: 0 };
    for (let shard = 0; shard < hosts.shardCount && !this.#isStopped; shard++) {
      told(`shard ${shard}`);
      try {
        const bytes = await this.#shard(shard, log, [freshFrom, since], sum);
        if (bytes === null) sum.unchanged++;
        else sum.copied++;
        sum.bytes += bytes ?? 0;
      } catch (error) {
        faults.push(`shard ${shard}: ${(error as Error).message}`);
      }
    }
    const chapters = await untilKnown(() => log.engine.reclaim(), this.#pause);
    if (faults.length > 0)
      throw new Error(faults.slice(0, 3).join('; ') + (faults.length > 3 ? `; and ${faults.length - 3} more` : ''));
    return { ...sum, chapters, seconds: (clock.now() - since) / 1000 };
  }

  /** Bytes of the new copy; null where nothing was new. */
  async #shard(
    shard: number,
    { engine, id, place }: CopiedLog,
    fresh: readonly [number, number],
    sum: Summed,
  ): Promise<number | null> {
    const keeping: Keeping = { engine, place, history: this.#history(id, sum), pause: this.#pause };
    const state = await untilKnown(() => engine.look(shard), this.#pause);
    const newest = state.snapshots[0] ?? null;
    const madeMs = newest === null ? 0 : (readCopyName(newest.name)?.madeMs ?? 0);
    if (madeMs > fresh[0] && madeMs <= fresh[1] && !rests(state)) {
      await goOn(keeping, shard, state);
      return null;
    }
    const job = { kind: 'shard.copy', shard, log: id, newest, provesOld: rests(state) } as const;
    const made = await runJob(this.#ports.hosts, { shard, no: 0 }, job, ignore);
    if (made === null) {
      await restOn(keeping, shard, state);
      await forgetOld(keeping, shard, state);
      return null;
    }
    await keepCopy(keeping, shard, made);
    return made.bytes;
  }

  /** Null where none is kept. A host puts the entries into the place: main sees sums. */
  #history(log: string, sum: Summed): KeptHistory | null {
    const { clock, hosts, platform } = this.#ports;
    const { history } = platform().storage;
    if (history === undefined) return null;
    const keptMs = durationMs(history);
    return {
      fromMs: clock.now() - keptMs,
      copyEveryMs: keptMs / limits.storage.historyCopies,
      publish: async (shard, upTo) => {
        const job = { kind: 'shard.history', shard, log, upTo } as const;
        const { pieces } = await runJob(hosts, { shard, no: 0 }, job, ignore);
        sum.pieces += pieces;
      },
    };
  }

  #pause = async (): Promise<void> => {
    await this.#ports.wait(limits.storage.logPauseMs);
    if (this.#isStopped) throw new Error('the node is stopping');
  };

  #log(): Promise<CopiedLog> {
    this.#opened ??= this.#ports.open().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  #succeeded(report: CopiesReport): void {
    const { clock, degraded, log } = this.#ports;
    this.#schedule?.ended(true, clock.now());
    this.#failingSince = null;
    degraded.clear('backup', TROUBLE);
    log.info(report, 'the shards were copied, and the log was cut behind their copies');
  }

  #failed(error: Error): void {
    const { clock, degraded, log } = this.#ports;
    const now = clock.now();
    this.#schedule?.ended(false, now);
    if (this.#isStopped) return;
    this.#failures++;
    this.#failingSince ??= now;
    const reason =
      `copies of shards fail since ${timestamp(this.#failingSince)}: ${error.message}. Nothing is lost and writes go on, but the log in the database grows. ` +
      `See to the place (storage.journal.snapshots) and the disk; it is tried again in ${copyRetryMs / 60_000} minutes (or: skep cluster snapshot)`;
    log.warn({ err: error }, reason);
    if (now - this.#failingSince >= copyLateMs)
      degraded.report({ scope: 'backup', name: TROUBLE, reason, lasts: 'cleared' });
  }
}

/** A host's share of a history: entries of a shard that are about to be let go come into the place of copies. Main lets them go behind it (`shard-copies.ts`). */
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import type { LogPlace } from '#storage/applied.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { publishEntries, type Published } from '#storage/log-history/publish.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { copyPlaceOf, copyScratch } from './copy-place.ts';
import { sessionOf } from './log-of.ts';
import { logSeal } from './log-seal.ts';

/** Puts entries of a shard of the host beside its copies. Its report: what was new there. */
export interface ShardHistoryJob {
  readonly kind: 'shard.history';
  readonly shard: number;
  /** The id of the log. */
  readonly log: string;
  /** The entry of a copy that the log has noted. */
  readonly upTo: LogPlace;
}

/** By connections of its own, so that no write waits behind what it reads. A database that does not answer is waited for, until the work is given up. */
export async function publishShard(
  { shard, log, upTo }: ShardHistoryJob,
  platform: Pick<Platform, 'storage' | 'vault'>,
  pace: Pace,
): Promise<Published> {
  const { dir, free_bytes_min: freeBytesMin } = platform.storage;
  const place = copyPlaceOf(platform, log);
  if (place === null) throw new Error('the platform file names no place for copies of shards');
  const pause = (): Promise<void> => pace.wait(limits.storage.logPauseMs);
  const seal = await untilKnown(() => logSeal(platform), pause);
  const engine = new PostgresEngine(sessionOf(platform));
  try {
    return await publishEntries({
      engine,
      shard,
      upTo,
      place,
      seal,
      scratch: copyScratch(dir, 'history', shard),
      freeBytesMin,
      readBytesMax: limits.storage.historyReadBytes,
      pieceBytesMax: limits.storage.historyPieceBytes,
      pause,
      pace,
    });
  } finally {
    await engine.close();
  }
}

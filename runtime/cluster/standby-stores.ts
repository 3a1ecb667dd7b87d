/** The stores of this machine's data directory as a standby follows into them. */
import { statfs } from 'node:fs/promises';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { shardPath } from '#storage/archive.ts';
import { openEnvironment } from '#storage/environment.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import type { Log } from '#actors/host/activation.ts';
import { FollowLog } from './follow-log.ts';
import { machineMs } from './lease-cell.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { logSeal } from './log-seal.ts';
import { sessionOf } from './log-of.ts';
import { bringShardsBack } from './shards-back.ts';

const { commitPutsMax: putsMax, logReadBytes: readBytesMax, sweepCells: gatherMax } = limits.storage;
const { followAwayMsMax, followEveryMs, followFaultMs } = limits.cluster;

/** Nothing is read before it starts. `onFatal`: a store could not be written. */
export function followLog(platform: Platform, log: Log, onFatal: (error: Error) => void): FollowLog {
  const { dir, free_bytes_min: freeBytesMin } = platform.storage;
  let seal: LogSeal | null = null;
  return new FollowLog({
    engine: new PostgresEngine(sessionOf(platform)),
    open: async (shard) => {
      await bringShardsBack(platform, [shard], log);
      return openEnvironment(shardPath(dir, shard), { onFatal });
    },
    hasRoom: async () => {
      const { bavail, bsize } = await statfs(dir);
      return bavail * bsize >= freeBytesMin;
    },
    bounds: { gatherMax, putsMax },
    seal: async () => (seal ??= await logSeal(platform)),
    readBytesMax,
    everyMs: followEveryMs,
    awayMsMax: followAwayMsMax,
    faultMs: followFaultMs,
    now: machineMs,
    log,
  });
}

/** As a host opens its shards: stores that are missing, or older than what the log still has, come back from their copies. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Platform } from '#config/platform.ts';
import { shardPath } from '#storage/archive.ts';
import { dataFile } from '#storage/data-file.ts';
import { TrimGap } from '#storage/log-engine/port.ts';
import { clusterOf } from '#storage/log-engine/postgres/cluster.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { bringBack } from '#storage/shard-copy/bring-back.ts';
import type { Log } from '#actors/host/activation.ts';
import { copyPlaceOf, copyScratch } from './copy-place.ts';
import { logSeal } from './log-seal.ts';
import { pause, sessionOf } from './log-of.ts';

/**
 * Opens the shards. Stores that are not there come back before; whether the others are too old is seen by the opening itself, which claims nothing then of a shard that is: one that has followed the log
 * asks the database nothing ahead. Rejects as `open`, and as `bringShardsBack`.
 */
export async function openWithCopies<T>(
  platform: Platform,
  shards: readonly number[],
  log: Log,
  open: () => Promise<T>,
): Promise<T> {
  const { dir } = platform.storage;
  // What a copy left that was under way when the process ended.
  const left = shards.flatMap((shard) => [copyScratch(dir, 'out', shard), copyScratch(dir, 'history', shard)]);
  await Promise.all(left.map((scratch) => rm(scratch, { recursive: true, force: true })));
  const missing = shards.filter((shard) => !existsSync(dataFile(shardPath(dir, shard))));
  if (missing.length > 0) await bringShardsBack(platform, missing, log);
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof TrimGap)) throw error;
    await bringShardsBack(platform, shards, log);
    return open();
  }
}

/** Rejects with EngineRefused where a shard misses entries that are gone, and no copy has them. Waits for a database that does not answer. */
export async function bringShardsBack(platform: Platform, shards: readonly number[], log: Log): Promise<void> {
  const options = sessionOf(platform);
  const { dir } = platform.storage;
  const { id } = await untilKnown(() => clusterOf(options), pause);
  const place = copyPlaceOf(platform, id);
  const seal = await untilKnown(() => logSeal(platform), pause);
  const engine = new PostgresEngine(options);
  try {
    for (const shard of shards) {
      const scratch = copyScratch(dir, 'back', shard);
      const { note, faults } = await bringBack({
        engine,
        shard,
        path: shardPath(dir, shard),
        scratch,
        place,
        seal,
        pause,
      });
      for (const fault of faults)
        log.warn(
          { shard, fault },
          'a copy of the shard cannot be used, and an older one, or the whole log, was taken: nothing is lost by that. See to the place of copies (storage.journal.snapshots)',
        );
      if (note !== null)
        log.info({ shard, entry: note.seq, copy: note.name }, 'the store of the shard came back from a copy');
    }
  } finally {
    await engine.close();
  }
}

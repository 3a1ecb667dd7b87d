/** A host's share of a copy of a shard: LMDB's copy, its digest, its way into the place. Main notes it in the log (`shard-copies.ts`). */
import { stat } from 'node:fs/promises';
import type { Platform } from '#config/platform.ts';
import { shardPath, type Archive } from '#storage/archive.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { dataFile } from '#storage/data-file.ts';
import type { SnapshotNote } from '#storage/log-engine/port.ts';
import { takeCopy, type MadeCopy } from '#storage/shard-copy/take-copy.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { copyPlaceOf, copyScratch } from './copy-place.ts';
import { logSeal } from './log-seal.ts';
import { pause } from './log-of.ts';

/** Copies a shard of the host, unless the newest copy has everything. Its report: the copy, or null. */
export interface ShardCopyJob {
  readonly kind: 'shard.copy';
  readonly shard: number;
  /** The id of the log. */
  readonly log: string;
  /** What the log knows as the newest copy; null where it knows none. */
  readonly newest: SnapshotNote | null;
  /** Whether that one is read again where nothing is new. */
  readonly provesOld: boolean;
}

export async function copyShard(
  { shard, log, newest, provesOld }: ShardCopyJob,
  { archive, platform }: { readonly archive: Archive; readonly platform: Pick<Platform, 'storage' | 'vault'> },
  pace: Pace,
): Promise<MadeCopy | null> {
  const { dir, free_bytes_min: freeBytesMin } = platform.storage;
  const place = copyPlaceOf(platform, log);
  if (place === null) throw new Error('the platform file names no place for copies of shards');
  const seal = await untilKnown(() => logSeal(platform), pause);
  const { size } = await stat(dataFile(shardPath(dir, shard)));
  return takeCopy({
    shard,
    atRest: archive.atRest(shard),
    copyTo: (directory) => archive.copyTo(shard, directory),
    newest,
    provesOld,
    place,
    seal,
    scratch: copyScratch(dir, 'out', shard),
    freeBytesMin,
    fileBytes: size,
    pace,
    now: () => systemClock.now(),
  });
}

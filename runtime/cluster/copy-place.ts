/** The place of copies of shards that the platform file names, and where work on them lies for moments. */
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { DirectoryCopies } from '#storage/shard-copy/directory-place.ts';
import type { CopyPlace } from '#storage/shard-copy/place.ts';
import { S3Copies } from '#storage/shard-copy/s3-place.ts';
import { loginOf } from '#runtime/backups/place-of.ts';

/** Null where the file names none. `log`: the id of the log. */
export function copyPlaceOf({ storage }: Pick<Platform, 'storage'>, log: string): CopyPlace | null {
  const { to, s3 } = storage.journal.snapshots;
  if (to !== undefined) return new DirectoryCopies(to, log);
  return s3 === undefined ? null : new S3Copies({ ...loginOf(s3), prefix: s3.prefix, log });
}

/** Below the data directory: a copy of a shard on its way out (`out`) or back; a piece of its log on its way out (`history`). */
export function copyScratch(dataDir: string, way: 'out' | 'back' | 'history', shard: number): string {
  return join(dataDir, 'shard-copies', `${way}-${shard}`);
}

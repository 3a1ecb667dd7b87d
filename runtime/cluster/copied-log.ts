/** The log and the place of copies, as main uses them. Loaded where copies are made: the client of databases comes with it. */
import type { Platform } from '#config/platform.ts';
import { clusterOf } from '#storage/log-engine/postgres/cluster.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { copyPlaceOf } from './copy-place.ts';
import { sessionOf } from './log-of.ts';
import type { CopiedLog } from './shard-copies.ts';

/** Throws where the platform file names no place or no database, and where the database does not answer. */
export async function copiedLog(platform: Platform): Promise<CopiedLog> {
  const options = sessionOf(platform);
  const { id } = await clusterOf(options);
  const place = copyPlaceOf(platform, id);
  if (place === null) throw new Error('the platform file names no place for copies of shards');
  return { engine: new PostgresEngine(options), place, id };
}

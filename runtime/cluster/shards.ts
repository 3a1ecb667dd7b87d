/** The shards of a log, and how far this machine's stores have followed it: the rows of `skep cluster status`. */
import type { Platform } from '#config/platform.ts';
import { readReach } from '#storage/applied.ts';
import { findShards, withShard } from '#storage/inspect.ts';
import { DirectoryHeld, lockDirectory } from '#storage/lock.ts';
import { shardRows } from '#storage/log-engine/postgres/cluster.ts';
import type { ShardRow } from '#storage/log-engine/postgres/cluster.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asked, sessionOf } from './log-of.ts';

export interface ShardStatus extends ShardRow {
  /** The newest entry that LMDB here has wholly; null where there is no store, or a node has it open. */
  readonly here: number | null;
}

export interface LogStatus {
  readonly shards: readonly ShardStatus[];
  /** Whether a node has the data directory open: its stores are not looked into. */
  readonly isServed: boolean;
}

/** Changes nothing. Throws where the platform file names no database, where none answers, and where it has no log. */
export async function statusOf(platform: Platform): Promise<LogStatus> {
  const options = sessionOf(platform);
  const rows = await asked(options, () => shardRows(options));
  const places = await placesIn(platform.storage.dir);
  return {
    shards: rows.map((row) => ({ ...row, here: places?.get(row.shard) ?? null })),
    isServed: places === null,
  };
}

/** Null where a node has the directory. */
async function placesIn(dataDir: string): Promise<ReadonlyMap<number, number> | null> {
  const places = new Map<number, number>();
  if (!existsSync(join(dataDir, 'shards'))) return places;
  let lock;
  try {
    lock = await lockDirectory(dataDir);
  } catch (error) {
    if (error instanceof DirectoryHeld) return null;
    throw error;
  }
  try {
    for (const no of findShards(dataDir)) {
      const reach = await withShard(dataDir, no, (environment) => readReach(environment));
      if (reach !== null) places.set(no, reach.whole.seq);
    }
    return places;
  } finally {
    lock.release();
  }
}

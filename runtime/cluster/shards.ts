/** The shards of a log, and how far this machine's stores have followed it: the rows of `skep cluster status`. */
import type { Platform } from '#config/platform.ts';
import { readReach } from '#storage/applied.ts';
import { findShards, withShard } from '#storage/inspect.ts';
import { DirectoryHeld, lockDirectory } from '#storage/lock.ts';
import { shardRows } from '#storage/log-engine/postgres/cluster.ts';
import type { ShardRow } from '#storage/log-engine/postgres/cluster.ts';
import { readCopyName } from '#storage/shard-copy/place.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asked, sessionOf } from './log-of.ts';

export interface ShardStatus extends Omit<ShardRow, 'copy'> {
  /** The entry up to which the newest copy has all, and when it was made; null where there is none. */
  readonly copy: number | null;
  readonly copied: string | null;
  /** How many entries a start without a store reads, behind the newest copy. */
  readonly behind: number;
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
    shards: rows.map((row) => ({ ...row, ...copyOf(row), here: places?.get(row.shard) ?? null })),
    isServed: places === null,
  };
}

function copyOf({ copy, last, trimmed }: ShardRow): Pick<ShardStatus, 'copy' | 'copied' | 'behind'> {
  if (copy === null) return { copy: null, copied: null, behind: last - trimmed };
  const made = readCopyName(copy.name);
  return { copy: copy.seq, copied: made === null ? null : timestamp(made.madeMs), behind: last - copy.seq };
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

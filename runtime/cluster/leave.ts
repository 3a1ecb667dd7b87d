/** `skep cluster leave`: the stores of a stopped node on a log become stores of files; the log is served by no node from then on. */
import { shardPath } from '#storage/archive.ts';
import type { Platform } from '#config/platform.ts';
import { findShards } from '#storage/inspect.ts';
import { lockDirectory } from '#storage/lock.ts';
import { shardRows } from '#storage/log-engine/postgres/cluster.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { forgetLog, holdShard } from '#storage/shard-copy/leave-shard.ts';
import type { Told } from '#runtime/provision.ts';
import { LEFT } from './held.ts';
import { submissionsStay } from './submissions.ts';
import { asked, nameOf, pause, sessionOf } from './log-of.ts';

export interface LeftLog {
  readonly database: string;
  /** Shards whose stores were changed by this run. */
  readonly shards: number;
}

/** `catchUp` brings every store to the end of its log, by a node that is started and stopped. Throws for operators; a run that ended in between is gone on with by the next one. */
export async function leaveLog(platform: Platform, catchUp: () => Promise<void>, told: Told): Promise<LeftLog> {
  const options = sessionOf(platform);
  const before = await asked(options, () => shardRows(options));
  if (!before.some(({ owner }) => owner === LEFT)) await catchUp();
  const { dir } = platform.storage;
  const lock = await lockDirectory(dir);
  const engine = new PostgresEngine(options);
  try {
    const shards = findShards(dir);
    if (shards.length < before.length)
      throw new Error(`${dir} has ${shards.length} stores, and the log ${before.length} shards; nothing was changed`);
    const parts = shards.map((shard) => ({ engine, pause, shard, path: shardPath(dir, shard), owner: LEFT }));
    // All of them first: a store is changed only when no node can write to any shard of the log.
    for (const part of parts) await holdShard(part);
    let changed = 0;
    for (const part of parts) {
      told(`shard ${part.shard}`);
      if (await forgetLog(part)) changed++;
    }
    const stay = await asked(options, () => submissionsStay(platform, options));
    if (stay !== null) told(stay);
    return { database: nameOf(options), shards: changed };
  } finally {
    await engine.close();
    lock.release();
  }
}

/** `skep cluster adopt`: a stopped directory whose journal are files becomes a node on an empty log. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { hasCopies } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { shardPath } from '#storage/archive.ts';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { syncDirectory } from '#storage/directory.ts';
import { findShards } from '#storage/inspect.ts';
import { findJournals } from '#storage/journal/directories.ts';
import { lockDirectory } from '#storage/lock.ts';
import { shardRows, type ShardRow } from '#storage/log-engine/postgres/cluster.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { adoptShard } from '#storage/shard-copy/adopt-shard.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Told } from '#runtime/provision.ts';
import { copiedLog } from './copied-log.ts';
import { copyScratch } from './copy-place.ts';
import { ADOPTING } from './held.ts';
import { logSeal } from './log-seal.ts';
import { asked, nameOf, pause, sessionOf } from './log-of.ts';

export interface Adopted {
  readonly database: string;
  /** Shards whose rows came in, by this run. */
  readonly shards: number;
  readonly bytes: number;
  /** Where the stores of files lie from now on: for the operator to remove. */
  readonly kept: string;
}

/** Throws for operators where it cannot begin, and where the log is not empty; what was done by a run that ended in between stays. */
export async function adoptDirectory(platform: Platform, told: Told): Promise<Adopted> {
  if (!hasCopies(platform))
    throw new Error(
      'the rows come into the log as copies of shards, and the platform file names no place for them\n    add storage.journal.snapshots: { to: … } or { s3: … }',
    );
  const { dir } = platform.storage;
  const lock = await lockDirectory(dir);
  const log = await asked(sessionOf(platform), () => copiedLog(platform));
  try {
    const seal = await asked(sessionOf(platform), () => logSeal(platform));
    const rows = await asked(sessionOf(platform), () => shardRows(sessionOf(platform)));
    const kept = join(dir, 'shards-of-files');
    const isCopied = existsSync(kept) && !existsSync(join(dir, 'shards'));
    assertAdoptable(platform, rows, isCopied);
    const sum = { shards: 0, bytes: 0 };
    for (const shard of findShards(dir)) {
      told(`shard ${shard}`);
      const [path, scratch] = [shardPath(dir, shard), copyScratch(dir, 'out', shard)];
      const now = (): number => systemClock.now();
      const made = await adoptShard({
        ...log,
        seal,
        pause,
        shard,
        path,
        scratch,
        owner: ADOPTING,
        pace: UNHURRIED,
        now,
      });
      if (made === null) continue;
      sum.shards++;
      sum.bytes += made.bytes;
    }
    if (!isCopied) {
      renameSync(join(dir, 'shards'), kept);
      syncDirectory(dir);
    }
    for (const { shard, epoch, owner } of await shardRows(sessionOf(platform)))
      if (owner === ADOPTING) await untilKnown(() => log.engine.release(shard, epoch), pause);
    return { database: nameOf(sessionOf(platform)), ...sum, kept };
  } finally {
    await log.engine.close();
    lock.release();
  }
}

/** `isCopied`: a run before has ended behind its last copy. */
function assertAdoptable({ storage: { dir } }: Platform, rows: readonly ShardRow[], isCopied: boolean): void {
  const isBegun = rows.some(({ owner }) => owner === ADOPTING);
  const foreign = rows.find(({ epoch, owner }) => epoch > 0 && !(owner === ADOPTING || (isBegun && isCopied)));
  if (foreign !== undefined)
    throw new Error(
      `shard ${foreign.shard} of the log was claimed before, so the log is not empty; nothing was changed\n    take an empty database: skep cluster init`,
    );
  const shards = findShards(dir);
  if (!isCopied && shards.length === 0) throw new Error(`${dir} has no stores: start the node without adopt`);
  if (findJournals(dir).length > 0)
    throw new Error(
      `${dir}/journal holds writes that its stores may not have\n    start the node with storage.journal.driver: file, and stop it; then begin again`,
    );
  if ((shards.at(-1) ?? 0) >= rows.length)
    throw new Error(
      `${dir} has shard ${shards.at(-1)}, and the log ${rows.length} shards\n    make one in an empty database with more: skep cluster init --shards <number>`,
    );
}

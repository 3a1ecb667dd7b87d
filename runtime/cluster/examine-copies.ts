/** Whether the log is cut: the finding `snapshots` of `skep cluster check`. */
import { hasCopies } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import { clusterOf, shardRows, type ShardRow } from '#storage/log-engine/postgres/cluster.ts';
import { readCopyName } from '#storage/shard-copy/place.ts';
import { systemClock, timestamp } from '#actors/kit/clock.ts';
import { ok, warning, type Finding } from '#runtime/doctor/finding.ts';
import { copyPlaceOf } from './copy-place.ts';
import { sessionOf } from './log-of.ts';

/** A copy that is older than so many intervals was missed, and not late. */
const LATE_INTERVALS = 3;

/** Nothing here is a fault: a log without copies serves, and grows. */
export async function examineCopies(platform: Platform, nowMs = systemClock.now()): Promise<Finding> {
  if (!hasCopies(platform))
    return warning(
      'snapshots',
      'no place is named for copies of shards, so nothing is cut from the log: it grows, and a start without stores reads all of it',
      'add storage.journal.snapshots: { to: … } or { s3: … }',
    );
  const options = sessionOf(platform);
  const rows = await shardRows(options);
  const place = copyPlaceOf(platform, (await clusterOf(options)).id)!;
  try {
    await place.list(0);
  } catch (error) {
    return warning('snapshots', `${place.where}: ${(error as Error).message}`, 'see to the place of copies');
  }
  const everyMs = durationMs(platform.storage.journal.snapshots.every);
  return findingOf(rows, place.where, nowMs - LATE_INTERVALS * everyMs);
}

function findingOf(rows: readonly ShardRow[], where: string, lateBefore: number): Finding {
  const written = rows.filter(({ last }) => last > 0);
  const behind = written.filter(({ copy, last }) => (copy?.seq ?? 0) < last);
  const late = behind.filter(({ copy }) => madeMs(copy) < lateBefore);
  const entries = behind.reduce((sum, { copy, last }) => sum + last - (copy?.seq ?? 0), 0);
  const reads = `a start without stores reads ${written.length} copies in ${where} at most, and ${entries} entries`;
  if (late.length === 0) return ok('snapshots', reads);
  const [oldest] = late.toSorted((a, b) => madeMs(a.copy) - madeMs(b.copy));
  const since = oldest!.copy === null ? 'there is no copy' : `the newest copy is of ${timestamp(madeMs(oldest!.copy))}`;
  return warning(
    'snapshots',
    `of ${late.length} shards the copy is late (of shard ${oldest!.shard} ${since}): ${reads}`,
    'start the node, or make them now: skep cluster snapshot; the log of the node says why they fail',
  );
}

/** 0 where there is none. */
function madeMs(copy: ShardRow['copy']): number {
  return copy === null ? 0 : (readCopyName(copy.name)?.madeMs ?? 0);
}

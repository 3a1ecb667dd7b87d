/** Checks, repairs and dumps a stopped data directory; its shards are opened by a process of their own. */
import { checkStorage, type CheckReport, type ShardLook } from '#storage/check.ts';
import { checkEntities } from '#actors/engine/integrity/store.ts';
import { shardPath } from '#storage/archive.ts';
import { findShards } from '#storage/inspect.ts';
import { repairStorage, type RepairOptions, type RepairReport, type ShardMending } from '#storage/repair.ts';
import type { DamagedJournal } from '#storage/journal/replay.ts';
import { forgetReading } from '#runtime/scrub/reading-mark.ts';
import { workOnShards } from './shard-process.ts';
import { UnreadShards } from './unread-shard.ts';

/** As checkStorage, but an unreadable shard is a fault, and the others are still checked. The scrubber may read readable ones again. */
export function checkDirectory(dir: string): Promise<CheckReport> {
  const unreadShards = new UnreadShards(dir);
  return checkStorage(dir, checkEntities, async function* (shards, withEntities) {
    for await (const outcome of workOnShards('check', { dir, shards, options: { withEntities } })) {
      const look = 'answer' in outcome ? outcome.answer : unseen(outcome);
      const { no, unread } = look;
      if (unread === null) forgetReading(shardPath(dir, no));
      yield unread === null ? look : { ...look, unread: { ...unread, what: await unreadShards.explain(no, unread) } };
    }
  });
}

function unseen({ no, unread }: Pick<ShardLook, 'no' | 'unread'>): ShardLook {
  return { no, report: null, unread, faults: { faults: [], faultCount: 0, kinds: {} } };
}

/** As repairStorage, but a shard with unreadable pages stays as it is, and the others are repaired. */
export function repairDirectory(dir: string, options: RepairOptions): Promise<RepairReport> {
  const unreadShards = new UnreadShards(dir);
  const mending: ShardMending = {
    giveUp: () => giveUp(dir),
    async *mend(shards) {
      for await (const outcome of workOnShards('repair', { dir, shards, options: { dropRows: options.dropRows } })) {
        const { no } = outcome;
        if ('answer' in outcome) {
          forgetReading(shardPath(dir, no));
          yield { no, done: outcome.answer };
        } else if (!outcome.unread.pages) throw new Error(`shard ${no}: ${outcome.unread.what}`);
        else yield { no, done: { pages: true, what: await unreadShards.explain(no, outcome.unread) } };
      }
    },
  };
  return repairStorage(dir, options, mending);
}

/** All shards are open together in this step: which of them ended the process is unknown. */
async function giveUp(dir: string): Promise<readonly DamagedJournal[]> {
  for await (const outcome of workOnShards('giveUp', { dir, shards: findShards(dir).slice(0, 1) })) {
    if ('answer' in outcome) return outcome.answer;
    const { pages, what } = outcome.unread;
    throw new Error(
      pages
        ? `the journals could not be applied: the pages of a shard are damaged (${what})\n    skep storage check ${dir} shows which shard`
        : what,
    );
  }
  return [];
}

/** Prints all entries; gives the faults of shards that cannot be read to their end. */
export async function dumpDirectory(dir: string, out: (bytes: Uint8Array) => void): Promise<string[]> {
  const unreadShards = new UnreadShards(dir);
  const faults: string[] = [];
  for await (const outcome of workOnShards('dump', { dir, shards: findShards(dir), out })) {
    if ('answer' in outcome) continue;
    faults.push(`shard ${outcome.no}: ${await unreadShards.explain(outcome.no, outcome.unread)}`);
  }
  return faults;
}

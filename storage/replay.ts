/** Brings environments up to what the journals of earlier owners hold, before anything reads them. */
import { CatchUp, type CatchUpBounds } from './catch-up.ts';
import type { Environment } from './environment.ts';
import { carriedBy, epochOf } from './journal/directories.ts';
import { readFollowed } from './journal/mark.ts';
import { makeDurable, readJournal, type DamagedJournal, type JournalCut } from './journal/replay.ts';

export interface ReplayHooks {
  readonly onCut?: ((cut: JournalCut) => void) | undefined;
  /** Called for damage that stops no shard, because every shard has what is lost. */
  readonly onHarmless?: ((damage: DamagedJournal) => void) | undefined;
  /** Called with what is given up, where an operator accepts the loss; without it the shards that may miss something are stopped. */
  readonly onGivenUp?: ((damage: DamagedJournal) => void) | undefined;
}

export interface Replayed {
  /** Records that were applied. */
  readonly records: number;
  /** Shards that may miss records which were durable, by number: their environments end before the damage. */
  readonly stopped: ReadonlyMap<number, DamagedJournal>;
}

/**
 * Commits, for each environment (by shard number), the records that it has not passed. Journals come oldest epoch first. A damaged
 * journal stops the shards that may miss what is lost, and no other; they take nothing that comes after it.
 */
export async function replayJournals(
  directories: readonly string[],
  environments: ReadonlyMap<number, Environment>,
  bounds: CatchUpBounds,
  hooks: ReplayHooks = {},
): Promise<Replayed> {
  const groups = new Map<number, CatchUp>();
  for (const [no, environment] of environments) groups.set(no, new CatchUp(environment, bounds));
  const stopped = new Map<number, DamagedJournal>();
  let records = 0;
  for (const journal of directories) {
    const damaged: DamagedJournal[] = [];
    await makeDurable(journal);
    for (const record of readJournal(journal, hooks.onCut, (damage) => void damaged.push({ ...damage, journal }))) {
      for (const damage of damaged.splice(0)) judge(damage, groups, stopped, hooks);
      if (!stopped.has(record.shard) && (await groups.get(record.shard)?.add(record)) === true) records++;
    }
    for (const damage of damaged) judge(damage, groups, stopped, hooks);
    await Promise.all(Array.from(groups.values(), (group) => group.commit()));
  }
  return { records, stopped };
}

/** Stops the shards that may miss what is lost. */
function judge(
  damage: DamagedJournal,
  groups: ReadonlyMap<number, CatchUp>,
  stopped: Map<number, DamagedJournal>,
  { onHarmless, onGivenUp }: ReplayHooks,
): void {
  const carried = carriedBy(damage.journal);
  const epoch = epochOf(damage.journal);
  const isLost = damage.to > readFollowed(damage.journal);
  const hurt = [...groups].filter(
    ([no, group]) => isLost && carried?.has(no) !== false && group.mayMiss(epoch, damage.to),
  );
  if (hurt.length === 0) onHarmless?.(damage);
  else if (onGivenUp !== undefined) onGivenUp(damage);
  else for (const [no] of hurt) if (!stopped.has(no)) stopped.set(no, damage);
}

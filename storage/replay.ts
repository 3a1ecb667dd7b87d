/** Brings environments up to what the journals of earlier owners hold, before anything reads them. */
import { appliedWrite, readApplied } from './applied.ts';
import type { Applied } from './applied.ts';
import type { Environment, Write } from './environment.ts';
import { carriedBy, epochOf } from './journal/directories.ts';
import { readFollowed } from './journal/mark.ts';
import { recordWrites } from './journal/record.ts';
import type { JournalRecord } from './journal/record.ts';
import { makeDurable, readJournal } from './journal/replay.ts';
import type { JournalCut, JournalDamage } from './journal/replay.ts';
import type { Bytes } from './port.ts';

export interface ReplayBounds {
  /** Writes that are sorted together: in key order many of them meet on one page. */
  readonly gatherMax: number;
  /** Writes of one commit. */
  readonly putsMax: number;
}

/** Damage to a journal, and the directory of it. */
export interface DamagedJournal extends JournalDamage {
  readonly journal: string;
}

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
  bounds: ReplayBounds,
  hooks: ReplayHooks = {},
): Promise<Replayed> {
  const groups = new Map<number, ReplayGroup>();
  for (const [no, environment] of environments) groups.set(no, new ReplayGroup(environment, bounds));
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
  groups: ReadonlyMap<number, ReplayGroup>,
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

/** Records of one environment on their way into LMDB. */
class ReplayGroup {
  readonly #environment: Environment;
  readonly #bounds: ReplayBounds;
  readonly #writes = new Map<Bytes, Uint8Array | null>();
  #applied: Applied;
  #rows = 0;

  constructor(environment: Environment, bounds: ReplayBounds) {
    this.#environment = environment;
    this.#bounds = bounds;
    this.#applied = readApplied(environment);
  }

  /** Whether records up to a number of an epoch may be missing here. */
  mayMiss(epoch: number, to: number): boolean {
    const { epoch: mine, number } = this.#applied;
    return mine < epoch || (mine === epoch && number < to);
  }

  /** Whether the record was new to the environment. */
  async add(record: JournalRecord): Promise<boolean> {
    const { epoch, number } = this.#applied;
    if (record.epoch < epoch || (record.epoch === epoch && record.number <= number)) return false;
    for (const { key, value } of recordWrites(record)) this.#writes.set(key, value);
    this.#applied = { epoch: record.epoch, number: record.number };
    this.#rows++;
    if (this.#writes.size >= this.#bounds.gatherMax) await this.commit();
    return true;
  }

  /** Writes are absolute: parts of a large group may be committed before the part that moves the number on. */
  async commit(): Promise<void> {
    if (this.#rows === 0) return;
    const writes: Write[] = [...this.#writes].sort((a, b) => (a[0] < b[0] ? -1 : 1));
    writes.push(appliedWrite(this.#applied));
    for (let at = 0; at < writes.length; at += this.#bounds.putsMax) {
      await this.#environment.commit(writes.slice(at, at + this.#bounds.putsMax));
    }
    this.#writes.clear();
    this.#rows = 0;
  }
}

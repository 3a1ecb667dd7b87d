/** Files of this machine as the journals of a thread's shards: one journal for all of them, so that one sync acknowledges for all. */
import { readApplied, readReach } from './applied.ts';
import type { ArchiveCells } from './archive-cells.ts';
import type { CatchUpBounds } from './catch-up.ts';
import type { Environment } from './environment.ts';
import { openJournal, type Journal, type JournalOptions } from './journal/journal.ts';
import type { Found, Journals, JournalStats, OpenJournals, ShardJournal } from './journal/port.ts';
import type { EncodedAhead, JournalWrite } from './journal/record.ts';
import type { DamagedJournal, JournalCut } from './journal/replay.ts';
import { replayJournals } from './replay.ts';

export interface FileJournalsOptions extends Omit<JournalOptions, 'onFatal'> {
  /** Journals of earlier owners (findJournals): their records of these shards are applied first. */
  readonly replay: readonly string[];
  readonly bounds: CatchUpBounds;
  /** Where main sees how far the journal is. */
  readonly cells: ArchiveCells;
}

/** Replays the journals that earlier owners left and begins one: both wait for the disk, so they do it together. */
export function fileJournals({ replay, bounds, cells, ...options }: FileJournalsOptions): OpenJournals {
  return async (environments, onFatal) => {
    assertEpoch(environments, options.epoch);
    const opening = openJournal({ ...options, onFatal });
    opening.catch(() => undefined);
    try {
      const found = await replayed(replay, environments, bounds);
      assertEpoch(environments, options.epoch);
      const journal = await opening;
      cells.begin(options.epoch);
      return { journals: new FileJournals(journal, options.epoch, environments.keys(), cells), found };
    } catch (error) {
      await opening.then((journal) => journal.close(true)).catch(() => undefined);
      throw error;
    }
  };
}

async function replayed(
  directories: readonly string[],
  environments: ReadonlyMap<number, Environment>,
  bounds: CatchUpBounds,
): Promise<Found> {
  const cuts: JournalCut[] = [];
  const harmless: DamagedJournal[] = [];
  const { records, stopped } = await replayJournals(directories, environments, bounds, {
    onCut: (cut) => void cuts.push(cut),
    onHarmless: (damage) => void harmless.push(damage),
  });
  return { records, stopped, cuts, harmless };
}

/** With an epoch that a shard has seen, its new records would pass for applied ones at the next replay. What a log elsewhere does not know would set LMDB apart from it. */
function assertEpoch(environments: ReadonlyMap<number, Environment>, epoch: number): void {
  for (const [no, environment] of environments) {
    if (readReach(environment) !== null) throw new Error(`shard ${no} follows a log elsewhere, and not files`);
    const applied = readApplied(environment);
    if (applied.epoch >= epoch) throw new Error(`shard ${no} has seen epoch ${applied.epoch}; ${epoch} is too low`);
  }
}

class FileJournals implements Journals {
  readonly #journal: Journal;
  readonly #cells: ArchiveCells;
  readonly #shards = new Map<number, FileShardJournal>();

  constructor(journal: Journal, epoch: number, shards: Iterable<number>, cells: ArchiveCells) {
    this.#journal = journal;
    this.#cells = cells;
    const retire = (): void => this.#retire();
    for (const no of shards) this.#shards.set(no, new FileShardJournal(journal, no, epoch, retire));
  }

  of(shard: number): ShardJournal {
    const journal = this.#shards.get(shard);
    if (journal === undefined) throw new Error(`shard ${shard} has no journal here`);
    return journal;
  }

  onDurable(listener: () => void): void {
    this.#journal.onDurable(() => {
      this.#cells.durable = this.#journal.durable;
      listener();
    });
  }

  onLost(): void {}

  /** Lets go of the records that every shard has passed. */
  #retire(): void {
    let floor = this.#journal.durable;
    for (const shard of this.#shards.values()) floor = Math.min(floor, shard.passed);
    this.#journal.retire(floor);
  }

  stats(): JournalStats {
    return this.#journal.stats();
  }

  seal(): void {
    this.#journal.seal();
  }

  halt(): void {
    this.#journal.halt();
  }

  settled(): Promise<void> {
    return this.#journal.settled();
  }

  close(isFollowed: boolean): Promise<void> {
    return this.#journal.close(isFollowed);
  }
}

/** One shard's records in a journal of several. */
class FileShardJournal implements ShardJournal {
  readonly epoch: number;
  readonly #journal: Journal;
  readonly #shard: number;
  readonly #retired: () => void;
  #last = 0;
  /** LMDB has all of the shard up to this number. */
  #floor = 0;

  constructor(journal: Journal, shard: number, epoch: number, retired: () => void) {
    this.epoch = epoch;
    this.#journal = journal;
    this.#shard = shard;
    this.#retired = retired;
  }

  get last(): number {
    return this.#last;
  }

  get durable(): number {
    return this.#journal.durable;
  }

  /** The number up to which the shard needs no record of the journal: Infinity while LMDB has all of them. */
  get passed(): number {
    return this.#floor >= this.#last ? Number.POSITIVE_INFINITY : this.#floor;
  }

  append(writes: readonly JournalWrite[], encoded: EncodedAhead | null = null): number {
    const number = this.#journal.append(this.#shard, writes, encoded);
    // Records before it are not this shard's, so they are passed as far as it goes.
    if (this.#floor >= this.#last) this.#floor = number - 1;
    this.#last = number;
    return number;
  }

  whenDurable(number: number, then: () => void): void {
    this.#journal.whenDurable(number, then);
  }

  reach(): null {
    return null;
  }

  retire(number: number): void {
    this.#floor = Math.max(this.#floor, number);
    this.#retired();
  }
}

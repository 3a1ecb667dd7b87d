/** Brings environments up to what the journals of earlier owners hold, before anybody reads them. */
import { appliedWrite, readApplied } from './applied.ts';
import type { Applied } from './applied.ts';
import type { Environment, Write } from './environment.ts';
import { recordWrites } from './journal/record.ts';
import type { JournalRecord } from './journal/record.ts';
import { readJournal } from './journal/replay.ts';
import type { JournalCut } from './journal/replay.ts';
import type { Bytes } from './port.ts';

export interface ReplayBounds {
  /** Writes that are sorted together: in key order many of them meet on one page. */
  readonly gatherMax: number;
  /** Writes of one commit. */
  readonly putsMax: number;
}

/**
 * Commits, for each environment (by shard number), the records that it has not passed. Journals come oldest epoch first.
 * Gives the number of records applied. Throws Corruption.
 */
export async function replayJournals(
  directories: readonly string[],
  environments: ReadonlyMap<number, Environment>,
  bounds: ReplayBounds,
  onCut?: (cut: JournalCut) => void,
): Promise<number> {
  const groups = new Map<number, ReplayGroup>();
  for (const [no, environment] of environments) groups.set(no, new ReplayGroup(environment, bounds));
  let applied = 0;
  for (const directory of directories) {
    for (const record of readJournal(directory, onCut)) {
      if ((await groups.get(record.shard)?.add(record)) === true) applied++;
    }
    await Promise.all(Array.from(groups.values(), (group) => group.commit()));
  }
  return applied;
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

/**
 * One environment on its way to the end of its log: takes records in their order, leaves out those that it has, and writes the others in sweeps. A start after a crash replays journals
 * this way; whatever else reads a log (of another machine, as a standby) does the same.
 */
import { fileMarks, logMarks, NOWHERE, readApplied, readReach } from './applied.ts';
import type { Applied, LogReach, SweepMarks } from './applied.ts';
import type { Environment, Write } from './environment.ts';
import { recordWrites, type JournalRecord } from './journal/record.ts';
import type { Bytes } from './port.ts';
import { Sweep } from './sweep.ts';

export interface CatchUpBounds {
  /** Writes that are sorted together: in key order many of them meet on one page. */
  readonly gatherMax: number;
  /** Writes of one commit. */
  readonly putsMax: number;
}

export class CatchUp {
  readonly #environment: Environment;
  readonly #bounds: CatchUpBounds;
  /** Is told of one key of each record that was new. */
  readonly #saw: (key: Bytes) => void;
  readonly #writes = new Map<Bytes, Uint8Array | null>();
  #applied: Applied;
  #records = 0;
  /** Where in a log elsewhere the records lie; null for files of this machine. */
  #reach: LogReach | null = null;
  #hasMoved = false;

  /** Throws Corruption where the environment's own word on how far it is does not fit. */
  constructor(environment: Environment, bounds: CatchUpBounds, saw: (key: Bytes) => void = () => undefined) {
    this.#environment = environment;
    this.#bounds = bounds;
    this.#saw = saw;
    this.#applied = readApplied(environment);
  }

  /** Whether records up to a number of an epoch may be missing here. */
  mayMiss(epoch: number, to: number): boolean {
    const { epoch: mine, number } = this.#applied;
    return mine < epoch || (mine === epoch && number < to);
  }

  /** Whether the record was new to the environment. Its bytes must stay as they are until the next commit. */
  async add(record: JournalRecord): Promise<boolean> {
    const { epoch, number } = this.#applied;
    if (record.epoch < epoch || (record.epoch === epoch && record.number <= number)) return false;
    let isFirst = true;
    for (const { key, value } of recordWrites(record)) {
      this.#writes.set(key, value);
      if (isFirst) this.#saw(key);
      isFirst = false;
    }
    this.#applied = { epoch: record.epoch, number: record.number };
    this.#records++;
    if (this.#writes.size >= this.#bounds.gatherMax) await this.commit();
    return true;
  }

  /** For a log elsewhere: all records of the entries up to `whole` were added, and those that are added next lie at `through`. */
  at(reach: LogReach): void {
    this.#reach = reach;
    this.#hasMoved = true;
  }

  /** Brings what was added into the environment. */
  async commit(): Promise<void> {
    if (this.#records === 0 && !this.#hasMoved) return;
    const writes: Write[] = [...this.#writes].sort((a, b) => (a[0] < b[0] ? -1 : 1));
    let at = 0;
    const take = (max: number): { writes: Write[]; isLast: boolean } => {
      const group = writes.slice(at, (at += max));
      return { writes: group, isLast: at >= writes.length };
    };
    const sweep = new Sweep(this.#environment, take, this.#marks(), this.#bounds.putsMax);
    while (!(await sweep.commit()));
    this.#writes.clear();
    this.#records = 0;
    this.#hasMoved = false;
  }

  #marks(): SweepMarks {
    if (this.#reach === null) return fileMarks(this.#applied);
    return logMarks(this.#applied, readReach(this.#environment) ?? NOWHERE, this.#reach);
  }
}

/**
 * LMDB follows the journal: groups of records that are already durable, in order, one batch in flight for each environment.
 *
 * A write that a later *durable* record overwrites is left out: replay begins behind the group, so it would come to the
 * later one. One that only a record in flight overwrites stays in, for that record may never reach the disk. So no key is
 * twice in a group, and a hot row costs one put.
 */
import { appliedWrite } from './applied.ts';
import type { Environment, Write } from './environment.ts';
import type { Budget } from './overlay/budget.ts';
import type { Cell } from './overlay/cell.ts';
import type { Pending } from './overlay/pending.ts';

/**
 * Decides when the next group begins. Waiting a little costs nobody anything (replies do not depend on it) and spares the
 * disk syncs that the journal needs; `urgent` when a whole group is there or somebody waits for the end. A test passes a gate.
 */
export type Schedule = (begin: () => void, urgent: boolean) => void;

export interface FollowerOptions {
  readonly environment: Environment;
  readonly pending: Pending;
  readonly budget: Budget;
  readonly epoch: number;
  readonly rowsMax: number;
  readonly putsMax: number;
  /** Newest durable number of the journal. */
  readonly durable: () => number;
  /** After each group: segments may be retired. */
  readonly onFollowed: () => void;
  readonly schedule: Schedule;
}

interface Group {
  readonly cells: Cell[];
  /** Index in the queue behind the group's last cell. */
  readonly end: number;
  /** All records up to this number are in LMDB with the group. */
  readonly number: number;
}

const byKey = (a: Cell, b: Cell): number => (a.key < b.key ? -1 : 1);
const QUEUE_SLACK = 4096;

export class Follower {
  readonly #options: FollowerOptions;
  #queue: Cell[] = [];
  #head = 0;
  #busy = false;
  #idle: (() => void)[] = [];
  commits = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Writes that are not in LMDB yet, overwritten ones included. */
  get lag(): number {
    return this.#queue.length - this.#head;
  }

  /** Number of the oldest record that is not wholly in LMDB, or Infinity. */
  get oldest(): number {
    return this.#queue[this.#head]?.number ?? Number.POSITIVE_INFINITY;
  }

  push(cell: Cell): void {
    this.#queue.push(cell);
  }

  /** Begins a group when a durable record waits and none is in flight. */
  follow(): void {
    if (this.#busy || this.oldest > this.#options.durable()) return;
    this.#busy = true;
    this.#options.schedule(this.#begin, this.lag >= this.#options.putsMax || this.#idle.length > 0);
  }

  #begin = (): void => {
    const group = this.#take();
    this.#options.environment.commit(this.#writes(group)).then(
      () => this.#followed(group),
      // The environment has told onFatal; nothing follows any more.
      () => undefined,
    );
  };

  /** The next records within the bounds. One record larger than a group is split: only its last part moves the number on. */
  #take(): Group {
    const { rowsMax, putsMax } = this.#options;
    const durable = this.#options.durable();
    const queue = this.#queue;
    const cells: Cell[] = [];
    let rows = 0;
    let last = 0;
    let at = this.#head;
    for (; at < queue.length; at++) {
      const cell = queue[at]!;
      if (cell.number > durable || cells.length === putsMax) break;
      if (cell.number !== last && ++rows > rowsMax) break;
      last = cell.number;
      if (cell.overwrittenBy === 0 || cell.overwrittenBy > durable) cells.push(cell);
    }
    const whole = queue[at]?.number !== last;
    return { cells: cells.sort(byKey), end: at, number: whole ? last : last - 1 };
  }

  #writes(group: Group): Write[] {
    const writes: Write[] = [];
    for (const { key, value } of group.cells) writes.push([key, value]);
    writes.push(appliedWrite({ epoch: this.#options.epoch, number: group.number }));
    return writes;
  }

  #followed(group: Group): void {
    const { budget, pending, onFollowed } = this.#options;
    pending.drop(group.cells);
    let bytes = 0;
    for (let i = this.#head; i < group.end; i++) bytes += cellBytes(this.#queue[i]!);
    budget.give(group.end - this.#head, bytes);
    this.#head = group.end;
    this.#forget();
    this.#busy = false;
    this.commits++;
    this.follow();
    onFollowed();
    if (this.lag === 0) this.#wakeIdle();
  }

  /** Gives the memory of the queue's passed part back, at most as often as it pays. */
  #forget(): void {
    if (this.#head === this.#queue.length) this.#queue = [];
    else if (this.#head > QUEUE_SLACK && this.#head * 2 > this.#queue.length)
      this.#queue = this.#queue.slice(this.#head);
    else return;
    this.#head = 0;
  }

  #wakeIdle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const wake of idle) wake();
  }

  /** Resolves when everything is in LMDB. */
  settled(): Promise<void> {
    if (this.lag === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}

export function cellBytes(cell: Cell): number {
  return cell.key.length + (cell.value === null ? 0 : cell.value.length);
}

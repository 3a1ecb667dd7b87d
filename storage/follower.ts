/**
 * LMDB follows the journal in sweeps. A sweep takes the overlay's whole generation and writes it in key order, in groups with
 * one batch in flight; the last group also writes the journal number up to which all is now in LMDB. Why not in the journal's
 * order: the entries of an index lie scattered, and in key order many of them meet on one page (docs/decisions/storage.md ST-21).
 * A crash in the middle leaves LMDB between two numbers; replay begins at the older one and, its writes being absolute,
 * ends where the journal ends.
 *
 * A sweep waits until all that it takes is durable, so that of several writes under one key the newest is enough: a hot row
 * costs one put.
 */
import { fileMarks, logMarks, NOWHERE, readReach, type LogReach } from './applied.ts';
import type { Environment, Write } from './environment.ts';
import type { Budget } from './overlay/budget.ts';
import type { Generation } from './overlay/generation.ts';
import type { Overlay } from './overlay/overlay.ts';
import type { Walk } from './overlay/walk.ts';
import { Sweep } from './sweep.ts';

/**
 * Decides when the next sweep begins. Waiting a little delays no reply (replies do not depend on sweeps) and spares the
 * disk; `urgent` when enough has gathered or a caller waits for the end (`drained`). A test passes a gate.
 */
export type Schedule = (begin: () => void, urgent: boolean) => void;

export interface FollowerOptions {
  readonly environment: Environment;
  readonly overlay: Overlay;
  readonly budget: Budget;
  readonly epoch: number;
  /** Writes of one commit. */
  readonly putsMax: number;
  /** This many waiting writes, or bytes of them, make a sweep urgent. */
  readonly sweepCells: number;
  readonly sweepBytes: number;
  /** A sweep that is not urgent is put off while more than `calmCellsMax` writes wait, `waitsMax` times in all: more writes then share a page. */
  readonly calmCellsMax: number;
  readonly waitsMax: number;
  /** Newest durable number of the journal. */
  readonly durable: () => number;
  /** Where in a log elsewhere a durable record lies; null for files of this machine. */
  readonly reach: (number: number) => LogReach | null;
  /** After each sweep: all up to this number is in LMDB. */
  readonly onFollowed: (upTo: number) => void;
  readonly schedule: Schedule;
}

/** A generation on its way. */
interface Leaving {
  readonly generation: Generation;
  /** Null until all that it takes is durable. */
  sweep: Sweep | null;
}

export class Follower {
  readonly #options: FollowerOptions;
  #leaving: Leaving | null = null;
  #committing = false;
  /** Number of the sweep that may begin next: a start that was scheduled for an earlier one does nothing. */
  #turn = 0;
  #waits = 0;
  #urged = false;
  #isAbandoned = false;
  #idle: (() => void)[] = [];
  commits = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Writes that wait for LMDB: those of a sweep until its end. */
  get lag(): number {
    return this.#options.overlay.growing.cells + (this.#leaving?.generation.cells ?? 0);
  }

  /** Number of the oldest record that may not be wholly in LMDB, or Infinity. */
  get oldest(): number {
    return this.#leaving?.generation.oldest ?? this.#options.overlay.growing.oldest;
  }

  /** To be called after each sync: begins a sweep when a durable record waits, goes on with one that waited for the sync. */
  follow(): void {
    if (this.#isAbandoned) return;
    if (this.#leaving !== null) return this.#next(this.#leaving);
    const { durable, overlay } = this.#options;
    if (overlay.growing.oldest > durable()) return;
    const urgent = this.#much() || this.#idle.length > 0;
    if (this.#waits > 0 && (this.#urged || !urgent)) return;
    this.#urged = urgent;
    this.#wait(urgent);
  }

  #much(): boolean {
    const { overlay, sweepBytes, sweepCells } = this.#options;
    return overlay.growing.cells >= sweepCells || overlay.growing.bytes >= sweepBytes;
  }

  #wait(urgent: boolean): void {
    this.#waits++;
    const turn = this.#turn;
    this.#options.schedule(() => {
      if (turn === this.#turn && !this.#isAbandoned) this.#due(urgent);
    }, urgent);
  }

  #due(urgent: boolean): void {
    const { calmCellsMax, overlay, waitsMax } = this.#options;
    if (urgent || overlay.growing.cells <= calmCellsMax || this.#waits >= waitsMax) this.#begin();
    else this.#wait(false);
  }

  #begin(): void {
    this.#turn++;
    this.#waits = 0;
    this.#urged = false;
    this.#leaving = { generation: this.#options.overlay.turn(), sweep: null };
    this.#next(this.#leaving);
  }

  #sweepOf(generation: Generation): Sweep {
    const { environment, epoch, putsMax, reach } = this.#options;
    const walks = generation.walks().toReversed();
    const applied = { epoch, number: generation.newest };
    const at = reach(generation.newest);
    const marks = at === null ? fileMarks(applied) : logMarks(applied, readReach(environment) ?? NOWHERE, at);
    return new Sweep(environment, (max) => take(walks, max), marks, putsMax);
  }

  /** Commits the next group, once all that the sweep took is durable. */
  #next(leaving: Leaving): void {
    if (this.#committing || this.#isAbandoned || leaving.generation.newest > this.#options.durable()) return;
    this.#committing = true;
    leaving.sweep ??= this.#sweepOf(leaving.generation);
    leaving.sweep.commit().then(
      (isLast) => this.#followed(leaving, isLast),
      // The environment has called onFatal; nothing is written to LMDB any more.
      () => undefined,
    );
  }

  #followed(leaving: Leaving, isLast: boolean): void {
    this.#committing = false;
    this.commits++;
    if (this.#isAbandoned) return;
    if (isLast) this.#end(leaving);
    else this.#next(leaving);
  }

  #end({ generation }: Leaving): void {
    const { budget, onFollowed, overlay } = this.#options;
    overlay.drop();
    budget.give(generation.cells, generation.bytes);
    this.#leaving = null;
    this.follow();
    const { oldest } = this;
    onFollowed(oldest === Number.POSITIVE_INFINITY ? generation.newest : oldest - 1);
    if (oldest === Number.POSITIVE_INFINITY) this.#wakeIdle();
  }

  #wakeIdle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const wake of idle) wake();
  }

  /** The shard is another owner's: LMDB stays where it is, the beginning of the log, and what waits for it takes no room any more. */
  abandon(): void {
    if (this.#isAbandoned) return;
    this.#isAbandoned = true;
    const { budget, overlay } = this.#options;
    for (const generation of [overlay.growing, this.#leaving?.generation])
      if (generation !== undefined) budget.give(generation.cells, generation.bytes);
    this.#wakeIdle();
  }

  /** Resolves when everything is in LMDB, or the shard was given up. */
  settled(): Promise<void> {
    if (this.#isAbandoned || this.oldest === Number.POSITIVE_INFINITY) return Promise.resolve();
    const settled = new Promise<void>((resolve) => this.#idle.push(resolve));
    this.follow();
    return settled;
  }
}

/** The next writes in key order; `walks`: over the lanes that are left to write, the next one last. */
function take(walks: Walk[], max: number): { readonly writes: Write[]; readonly isLast: boolean } {
  const writes: Write[] = [];
  for (let walk = walks.at(-1); walk !== undefined; walk = walks.at(-1)) {
    for (let cell = walk.current; cell !== undefined; cell = walk.current) {
      if (writes.length === max) return { writes, isLast: false };
      writes.push([cell.key, cell.value]);
      walk.advance();
    }
    walks.pop();
  }
  return { writes, isLast: true };
}

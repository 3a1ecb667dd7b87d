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
import { appliedWrite } from './applied.ts';
import type { Environment, Write } from './environment.ts';
import type { Budget } from './overlay/budget.ts';
import type { Generation } from './overlay/generation.ts';
import type { Overlay } from './overlay/overlay.ts';
import type { Walk } from './overlay/walk.ts';

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
  /** After each sweep: segments may be retired. */
  readonly onFollowed: () => void;
  readonly schedule: Schedule;
}

/** One sweep on its way. */
interface Sweep {
  readonly generation: Generation;
  /** Walks over the lanes that are left to write, the next one last. */
  readonly walks: Walk[];
}

export class Follower {
  readonly #options: FollowerOptions;
  #sweep: Sweep | null = null;
  #committing = false;
  /** Number of the sweep that may begin next: a start that was scheduled for an earlier one does nothing. */
  #turn = 0;
  #waits = 0;
  #urged = false;
  #idle: (() => void)[] = [];
  commits = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Writes that wait for LMDB: those of a sweep until its end. */
  get lag(): number {
    return this.#options.overlay.growing.cells + (this.#sweep?.generation.cells ?? 0);
  }

  /** Number of the oldest record that may not be wholly in LMDB, or Infinity. */
  get oldest(): number {
    return this.#sweep?.generation.oldest ?? this.#options.overlay.growing.oldest;
  }

  /** To be called after each sync: begins a sweep when a durable record waits, goes on with one that waited for the sync. */
  follow(): void {
    if (this.#sweep !== null) return this.#next(this.#sweep);
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
      if (turn === this.#turn) this.#due(urgent);
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
    const generation = this.#options.overlay.turn();
    this.#sweep = { generation, walks: generation.walks().toReversed() };
    this.#next(this.#sweep);
  }

  /** Commits the next group, once all that the sweep took is durable. */
  #next(sweep: Sweep): void {
    const { durable, environment, epoch } = this.#options;
    const { newest } = sweep.generation;
    if (this.#committing || newest > durable()) return;
    const writes = this.#take(sweep.walks);
    const last = sweep.walks.length === 0;
    if (last) writes.push(appliedWrite({ epoch, number: newest }));
    this.#committing = true;
    environment.commit(writes).then(
      () => this.#followed(sweep, last),
      // The environment has called onFatal; nothing is written to LMDB any more.
      () => undefined,
    );
  }

  /** The next writes in key order. */
  #take(walks: Walk[]): Write[] {
    const writes: Write[] = [];
    for (let walk = walks.at(-1); walk !== undefined; walk = walks.at(-1)) {
      for (let cell = walk.current; cell !== undefined; cell = walk.current) {
        if (writes.length === this.#options.putsMax) return writes;
        writes.push([cell.key, cell.value]);
        walk.advance();
      }
      walks.pop();
    }
    return writes;
  }

  #followed(sweep: Sweep, last: boolean): void {
    this.#committing = false;
    this.commits++;
    if (last) this.#end(sweep);
    else this.#next(sweep);
  }

  #end({ generation }: Sweep): void {
    const { budget, onFollowed, overlay } = this.#options;
    overlay.drop();
    budget.give(generation.cells, generation.bytes);
    this.#sweep = null;
    this.follow();
    onFollowed();
    if (this.oldest === Number.POSITIVE_INFINITY) this.#wakeIdle();
  }

  #wakeIdle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const wake of idle) wake();
  }

  /** Resolves when everything is in LMDB. */
  settled(): Promise<void> {
    if (this.oldest === Number.POSITIVE_INFINITY) return Promise.resolve();
    const settled = new Promise<void>((resolve) => this.#idle.push(resolve));
    this.follow();
    return settled;
  }
}

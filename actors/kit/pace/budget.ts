/** What one slice of long work may take before it lets other turns run: rows, bytes, milliseconds, and the fuel of its stretch. */
import type { FineClock } from '../clock.ts';
import { hasFuelForRow } from './fuel.ts';

/**
 * A slice ends at the first of them. The time covers reading and staging, and must leave as much again for the commit, which takes no
 * longer than the staging. Bytes are those of the values read.
 */
export interface SliceBound {
  readonly sliceReadMsMax: number;
  readonly sliceRowsMax: number;
  /** Absent when the sizes of values are not known. */
  readonly sliceBytesMax?: number;
}

/** What is left of a slice, which begins when the budget is made. A slice takes at least one row, however large. */
export class Budget {
  readonly #clock: FineClock;
  readonly #bound: SliceBound;
  #rows = 0;
  #bytes = 0;
  #end = 0;

  constructor(clock: FineClock, bound: SliceBound) {
    this.#clock = clock;
    this.#bound = bound;
    this.next();
  }

  /** Begins the next slice. */
  next(): void {
    this.#rows = this.#bound.sliceRowsMax;
    this.#bytes = this.#bound.sliceBytesMax ?? Number.POSITIVE_INFINITY;
    this.#end = this.#clock.fine() + this.#bound.sliceReadMsMax;
  }

  /** Counts rows that were read, with all work for them. */
  count(rows = 1, bytes = 0): void {
    this.#rows -= rows;
    this.#bytes -= bytes;
  }

  /** Looks at the clock: true when the slice is used up. */
  look(): boolean {
    if (this.#clock.fine() >= this.#end) this.#rows = 0;
    return this.isSpent;
  }

  /** Counts rows and looks at the clock: true when the slice is used up. */
  spend(rows: number): boolean {
    this.count(rows);
    return this.look();
  }

  /** Whether the slice was used up when the clock was last looked at, or too little fuel is left for one more row. */
  get isSpent(): boolean {
    return this.#rows <= 0 || this.#bytes <= 0 || !hasFuelForRow();
  }
}

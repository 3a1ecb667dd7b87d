/** How much one slice of long work takes before it lets other turns run. */
import type { FineClock } from '../clock.ts';

/**
 * A slice ends at the first of the three. The time is that of looking and staging, which must leave as much again for the commit: it
 * takes no longer than staging what it commits. Bytes are those of the values looked at.
 */
export interface SliceBound {
  readonly sliceReadMsMax: number;
  readonly sliceRowsMax: number;
  /** Absent where nobody knows them. */
  readonly sliceBytesMax?: number;
}

/** What is left of a slice that begins now. One row is the least that it takes, however large. */
export class SliceBudget {
  readonly #clock: FineClock;
  readonly #end: number;
  #rows: number;
  #bytes: number;

  constructor(
    clock: FineClock,
    { sliceReadMsMax, sliceRowsMax, sliceBytesMax = Number.POSITIVE_INFINITY }: SliceBound,
  ) {
    this.#clock = clock;
    this.#end = clock.fine() + sliceReadMsMax;
    this.#rows = sliceRowsMax;
    this.#bytes = sliceBytesMax;
  }

  /** Counts a row that was looked at, with all that was done for it. */
  spend(bytes = 0): void {
    this.#rows--;
    this.#bytes -= bytes;
  }

  get isSpent(): boolean {
    return this.#rows <= 0 || this.#bytes <= 0 || this.#clock.fine() >= this.#end;
  }
}

/** Aggregates over the frame of each row. Frames that only grow are added to; others are computed anew, and each row of them counts. */
import { limits } from '#config/limits.ts';
import type { Run, Steps } from '../run.ts';
import { addRow } from '../select/group.ts';
import type { Value } from '../type.ts';
import { burnText, charsOf } from '../value/text-cost.ts';
import { boundsOf, type Frame } from './frame.ts';
import type { Accumulator, Aggregate } from './grouping.ts';
import type { Partition, WindowFunction } from './windows.ts';

/** Rows of frames between two reads of the clock. */
const STRIDE = limits.sql.strideRows;

type Computing = Omit<Aggregate, 'slot' | 'order'>;

export function overWindow(aggregate: Computing, frame: Frame, slot: number): WindowFunction {
  return {
    *fill(run, partition) {
      const rowsOf = boundsOf(run, frame, partition);
      const sum = new FrameSum(run, aggregate, partition);
      for (let row = 0; row < partition.tuples.length; row++) {
        const [from, to] = rowsOf(row);
        yield* sum.moveTo(from, to);
        partition.tuples[row]![slot] = sum.value();
        if (run.pace.isSpent || (row % STRIDE === 0 && run.spend(STRIDE))) yield;
      }
    },
  };
}

/** The value of an aggregate over a frame that moves. */
class FrameSum {
  readonly #run: Run;
  readonly #aggregate: Computing;
  readonly #partition: Partition;
  #sum: Accumulator;
  #from = 0;
  #to = 0;
  #added = 0;
  #known: { readonly value: Value } | null = null;

  constructor(run: Run, aggregate: Computing, partition: Partition) {
    this.#run = run;
    this.#aggregate = aggregate;
    this.#partition = partition;
    this.#sum = this.#begin();
  }

  *moveTo(from: number, to: number): Steps<void> {
    if (from === this.#from && to === this.#to) return;
    this.#known = null;
    if (from !== this.#from || to < this.#to) {
      this.#sum = this.#begin();
      [this.#from, this.#to] = [from, from];
    }
    for (; this.#to < to; this.#to++) {
      addRow(this.#sum, this.#aggregate, this.#partition.tuples[this.#to]!, this.#run);
      if (this.#run.pace.isSpent || (++this.#added % STRIDE === 0 && this.#run.spendPairs(STRIDE))) yield;
    }
  }

  /** The value of the present frame, counted as held. */
  value(): Value {
    if (this.#known === null) {
      const value = this.#sum.value();
      const chars = charsOf(value);
      burnText(chars);
      this.#run.keep(chars);
      this.#known = { value };
    }
    return this.#known.value;
  }

  #begin(): Accumulator {
    return this.#aggregate.begin({ keep: (chars) => this.#run.keep(chars) });
  }
}

/** GROUP BY: one tuple for each group, that of its first row, with the aggregates in their slots. */
import { checkKept, eachRow } from '../run.ts';
import type { Run, Steps, Tuple } from '../run.ts';
import type { Accumulator, Aggregate } from '../expression/grouping.ts';
import type { Expr } from '../expression/expr.ts';
import type { Value } from '../type.ts';
import { rowKeyOf } from '../value/compare.ts';

export interface Groups {
  readonly by: readonly Expr[];
  readonly aggregates: readonly Aggregate[];
}

interface Group {
  readonly tuple: Tuple;
  readonly sums: readonly Accumulator[];
}

/** Adds tuples to their groups as they come, and keeps the first tuple of each group. */
export class Grouping {
  readonly #run: Run;
  readonly #aggregates: readonly Aggregate[];
  readonly #by: readonly Expr[];
  readonly #width: number;
  readonly #keyOf: (values: readonly Value[]) => unknown;
  readonly #groups = new Map<unknown, Group>();
  #now: Tuple = [];

  constructor(run: Run, { by, aggregates }: Groups, width: number) {
    this.#run = run;
    this.#by = by;
    this.#aggregates = aggregates;
    this.#width = width;
    this.#keyOf = rowKeyOf(by.map(({ type }) => type));
  }

  *add(tuples: readonly Tuple[]): Steps<void> {
    yield* eachRow(this.#run, tuples, (tuple) => {
      this.#now = tuple;
      const { sums } = this.#groupOf(tuple);
      for (let i = 0; i < sums.length; i++) {
        const { arg } = this.#aggregates[i]!;
        const value = arg === null ? true : arg.evaluate(tuple, this.#run);
        if (value !== null) sums[i]!.add(value);
      }
    });
  }

  /** One tuple for each group. Without GROUP BY there is one group, even when there are no rows. */
  tuples(): Tuple[] {
    if (this.#by.length === 0 && this.#groups.size === 0)
      this.#groups.set(ALL, this.#begin(new Array<Value>(this.#width).fill(null)));
    return [...this.#groups.values()].map(({ tuple, sums }) => {
      for (let i = 0; i < sums.length; i++) tuple[this.#aggregates[i]!.slot] = sums[i]!.value();
      return tuple;
    });
  }

  #groupOf(tuple: Tuple): Group {
    const key = this.#by.length === 0 ? ALL : this.#keyOf(this.#by.map((expr) => expr.evaluate(tuple, this.#run)));
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (typeof key === 'string') this.#run.keep(key.length);
      this.#groups.set(key, (group = this.#begin(tuple)));
      checkKept(this.#groups.size);
    }
    return group;
  }

  #begin(tuple: Tuple): Group {
    this.#run.hold(tuple);
    const keep = (chars: number): void => this.#run.keep(chars);
    const sums = this.#aggregates.map(({ second, begin }) =>
      begin({ separator: () => second?.evaluate(this.#now, this.#run) ?? null, keep }),
    );
    return { tuple: tuple.slice(), sums };
  }
}

const ALL = null;

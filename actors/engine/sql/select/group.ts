/** GROUP BY: one tuple for each group, that of its first row, with the aggregates in their slots. */
import { checkKept, eachRow } from '../run.ts';
import type { Run, Steps, Tuple } from '../run.ts';
import type { Accumulator, Aggregate } from '../expression/grouping.ts';
import type { Expr } from '../expression/expr.ts';
import type { Value } from '../type.ts';
import { rowKeyOf } from '../value/compare.ts';
import { charsOf } from '../value/text-cost.ts';
import { sorted } from './sort.ts';
import type { Keyed } from './sort.ts';

export interface Groups {
  readonly by: readonly Expr[];
  readonly aggregates: readonly Aggregate[];
}

/** The arguments of an aggregate for one row. */
interface Given {
  readonly value: Value;
  readonly second: Value;
}

interface Group {
  readonly tuple: Tuple;
  readonly sums: readonly Accumulator[];
  /** By aggregate: what it will be given in its order; null where no order is asked for. */
  readonly waiting: readonly (Keyed<Given>[] | null)[];
}

/** What an aggregate is given for a row; null when it leaves the row out. */
export function givenOf(
  { arg, second, filter, takesNull }: Pick<Aggregate, 'arg' | 'second' | 'filter' | 'takesNull'>,
  tuple: Tuple,
  run: Run,
): Given | null {
  if (filter !== null && filter.evaluate(tuple, run) !== true) return null;
  const value = arg === null ? true : arg.evaluate(tuple, run);
  if (value === null && !takesNull) return null;
  return { value, second: second === null ? null : second.evaluate(tuple, run) };
}

/** Adds tuples to their groups as they come, and keeps the first tuple of each group. */
export class Grouping {
  readonly #run: Run;
  readonly #aggregates: readonly Aggregate[];
  readonly #by: readonly Expr[];
  readonly #width: number;
  readonly #keyOf: (values: readonly Value[]) => unknown;
  readonly #groups = new Map<unknown, Group>();
  #waiting = 0;

  constructor(run: Run, { by, aggregates }: Groups, width: number) {
    this.#run = run;
    this.#by = by;
    this.#aggregates = aggregates;
    this.#width = width;
    this.#keyOf = rowKeyOf(by.map(({ type }) => type));
  }

  *add(tuples: readonly Tuple[]): Steps<void> {
    yield* eachRow(this.#run, tuples, (tuple) => {
      const group = this.#groupOf(tuple);
      for (let i = 0; i < group.sums.length; i++) {
        const given = givenOf(this.#aggregates[i]!, tuple, this.#run);
        if (given === null) continue;
        if (group.waiting[i] === null) group.sums[i]!.add(given.value, given.second);
        else this.#wait(group, i, tuple, given);
      }
    });
  }

  #wait({ waiting }: Group, i: number, tuple: Tuple, row: Given): void {
    const keys = this.#aggregates[i]!.order!.map(({ expr }) => expr!.evaluate(tuple, this.#run));
    this.#run.hold([row.value, row.second, ...keys]);
    checkKept(++this.#waiting);
    waiting[i]!.push({ keys, row });
  }

  /** One tuple for each group. Without GROUP BY there is one group, even when there are no rows. */
  *tuples(): Steps<Tuple[]> {
    if (this.#by.length === 0 && this.#groups.size === 0)
      this.#groups.set(ALL, this.#begin(new Array<Value>(this.#width).fill(null)));
    if (this.#waiting > 0) for (const group of this.#groups.values()) yield* this.#addWaiting(group);
    return [...this.#groups.values()].map(({ tuple, sums }) => {
      for (let i = 0; i < sums.length; i++) tuple[this.#aggregates[i]!.slot] = sums[i]!.value();
      return tuple;
    });
  }

  *#addWaiting({ sums, waiting }: Group): Steps<void> {
    for (let i = 0; i < sums.length; i++) {
      const rows = waiting[i];
      if (rows === null || rows === undefined) continue;
      const inOrder = yield* sorted(this.#run, rows, this.#aggregates[i]!.order!);
      yield* eachRow(this.#run, inOrder, ({ row }) => sums[i]!.add(row.value, row.second));
    }
  }

  #groupOf(tuple: Tuple): Group {
    const key = this.#by.length === 0 ? ALL : this.#keyOf(this.#by.map((expr) => expr.evaluate(tuple, this.#run)));
    let group = this.#groups.get(key);
    if (group === undefined) {
      this.#run.keep(charsOf(key));
      this.#groups.set(key, (group = this.#begin(tuple)));
      checkKept(this.#groups.size);
    }
    return group;
  }

  #begin(tuple: Tuple): Group {
    this.#run.hold(tuple);
    const keep = (chars: number): void => this.#run.keep(chars);
    const sums = this.#aggregates.map(({ begin }) => begin({ keep }));
    return { tuple: tuple.slice(), sums, waiting: this.#aggregates.map(({ order }) => (order === null ? null : [])) };
  }
}

const ALL = null;

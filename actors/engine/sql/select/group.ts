/** GROUP BY: one tuple for each group, that of its first row, with the aggregates in their slots. */
import { checkKept, eachRow, type Run, type Steps, type Tuple } from '../run.ts';
import type { Accumulator, Aggregate } from '../expression/grouping.ts';
import type { Expr } from '../expression/expr.ts';
import type { Value } from '../type.ts';
import { rowKeyOf } from '../value/compare.ts';
import { sorted, type Keyed } from './sort.ts';

export interface Groups {
  readonly by: readonly Expr[];
  readonly aggregates: readonly Aggregate[];
}

type Taking = Pick<Accumulator, 'add'>;

/** Gives an aggregate what it takes of a row, unless it leaves the row out. */
export function addRow(
  sum: Taking,
  { arg, second, filter, takesNull }: Pick<Aggregate, 'arg' | 'second' | 'filter' | 'takesNull'>,
  tuple: Tuple,
  run: Run,
): void {
  if (filter !== null && filter.evaluate(tuple, run) !== true) return;
  const value = arg === null ? true : arg.evaluate(tuple, run);
  if (value !== null || takesNull) sum.add(value, second === null ? null : second.evaluate(tuple, run));
}

interface Group {
  readonly tuple: Tuple;
  readonly sums: readonly Accumulator[];
  /** By aggregate: what takes its values as they come. */
  readonly taking: readonly Taking[];
}

/** The arguments of an aggregate for one row. */
interface Given {
  readonly value: Value;
  readonly second: Value;
}

/** Keeps the values of an aggregate that is given them in an order. */
class Waiting {
  readonly rows: Keyed<Given>[] = [];
  readonly #keysOf: () => Value[];

  constructor(keysOf: () => Value[]) {
    this.#keysOf = keysOf;
  }

  add(value: Value, second: Value): void {
    this.rows.push({ keys: this.#keysOf(), row: { value, second } });
  }
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
      this.#now = tuple;
      const { taking } = this.#groupOf(tuple);
      for (let i = 0; i < taking.length; i++) addRow(taking[i]!, this.#aggregates[i]!, tuple, this.#run);
    });
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

  *#addWaiting({ sums, taking }: Group): Steps<void> {
    for (let i = 0; i < sums.length; i++) {
      const waiting = taking[i];
      if (!(waiting instanceof Waiting)) continue;
      const inOrder = yield* sorted(this.#run, waiting.rows, this.#aggregates[i]!.order!);
      yield* eachRow(this.#run, inOrder, ({ row }) => sums[i]!.add(row.value, row.second));
    }
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
    const sums = this.#aggregates.map(({ begin }) => begin({ keep }));
    const taking = this.#aggregates.map((aggregate, i) => this.#taking(aggregate, sums[i]!));
    return { tuple: tuple.slice(), sums, taking };
  }

  #taking({ order }: Aggregate, sum: Accumulator): Taking {
    if (order === null) return sum;
    return new Waiting(() => {
      const keys = order.map(({ expr }) => expr!.evaluate(this.#now, this.#run));
      this.#run.hold(keys);
      checkKept(++this.#waiting);
      return keys;
    });
  }
}

const ALL = null;

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

export function* grouped(
  run: Run,
  { by, aggregates }: Groups,
  tuples: readonly Tuple[],
  width: number,
): Steps<Tuple[]> {
  const groups = new Map<unknown, Group>();
  const keyOf = rowKeyOf(by.map(({ type }) => type));
  let now: Tuple = [];
  const begin = (tuple: Tuple): Group => ({
    tuple: tuple.slice(),
    sums: aggregates.map(({ begin, second }) => begin(() => second?.evaluate(now, run) ?? null)),
  });
  // Without GROUP BY there is one group, also of no rows.
  const only = by.length === 0 ? begin(tuples[0] ?? new Array<Value>(width).fill(null)) : null;
  yield* eachRow(run, tuples, (tuple) => {
    now = tuple;
    const group =
      only ??
      groupAt(groups, by.length === 0 ? null : keyOf(by.map((expr) => expr.evaluate(tuple, run))), () => begin(tuple));
    add(group, aggregates, tuple, run);
  });
  const all = only === null ? [...groups.values()] : [only];
  return all.map(({ tuple, sums }) => {
    for (let i = 0; i < sums.length; i++) tuple[aggregates[i]!.slot] = sums[i]!.value();
    return tuple;
  });
}

function groupAt(groups: Map<unknown, Group>, key: unknown, begin: () => Group): Group {
  let group = groups.get(key);
  if (group === undefined) {
    groups.set(key, (group = begin()));
    checkKept(groups.size);
  }
  return group;
}

function add({ sums }: Group, aggregates: readonly Aggregate[], tuple: Tuple, run: Run): void {
  for (let i = 0; i < sums.length; i++) {
    const { arg } = aggregates[i]!;
    const value = arg === null ? true : arg.evaluate(tuple, run);
    if (value !== null) sums[i]!.add(value);
  }
}

/** Windows while a select runs: partitions, their order, and the functions over them. Rows keep the order in which they came. */
import { eachRow, type Run, type Steps, type Tuple } from '../run.ts';
import type { Partition, Window } from '../expression/windows.ts';
import { rowKeyOf } from '../value/compare.ts';
import { charsOf } from '../value/text-cost.ts';
import { compareBy, sorted, type Keyed } from './sort.ts';

/** Computes all window functions of a select into the slots of its tuples. */
export function* windowed(run: Run, tuples: readonly Tuple[], windows: readonly Window[]): Steps<void> {
  for (const window of windows) {
    const partitions = yield* partitioned(run, tuples, window);
    for (const rows of partitions) {
      const partition = yield* inOrder(run, rows, window);
      for (const each of window.functions) yield* each.fill(run, partition);
    }
  }
}

function* partitioned(run: Run, tuples: readonly Tuple[], { by }: Window): Steps<Iterable<Tuple[]>> {
  const keyOf = rowKeyOf(by.map(({ type }) => type));
  const partitions = new Map<unknown, Tuple[]>();
  yield* eachRow(run, tuples, (tuple) => {
    const key = by.length === 0 ? null : keyOf(by.map((expr) => expr.evaluate(tuple, run)));
    const known = partitions.get(key);
    if (known !== undefined) known.push(tuple);
    else {
      run.keep(charsOf(key));
      partitions.set(key, [tuple]);
    }
  });
  return partitions.values();
}

function* inOrder(run: Run, rows: Tuple[], { order }: Window): Steps<Partition> {
  if (order.length === 0) return { tuples: rows, peersFrom: rows.map(() => 0), peersTo: rows.map(() => rows.length) };
  const keyed: Keyed<Tuple>[] = [];
  yield* eachRow(run, rows, (row) => {
    const keys = order.map(({ expr }) => expr!.evaluate(row, run));
    run.hold(keys);
    keyed.push({ keys, row });
  });
  const all = yield* sorted(run, keyed, order);
  const compare = compareBy(order);
  const peersFrom: number[] = [];
  yield* eachRow(run, all, ({ keys }, at) => {
    const isPeer = at > 0 && compare(all[at - 1]!.keys, keys) === 0;
    peersFrom.push(isPeer ? peersFrom[at - 1]! : at);
  });
  const peersTo: number[] = new Array<number>(all.length);
  for (let at = all.length - 1; at >= 0; at--)
    peersTo[at] = at + 1 < all.length && peersFrom[at + 1] === peersFrom[at] ? peersTo[at + 1]! : at + 1;
  return { tuples: all.map(({ row }) => row), peersFrom, peersTo };
}

/** ORDER BY: a stable sort by several values, in parts between which other turns can run. */
import type { Expr } from '../expression/expr.ts';
import type { Run, Steps } from '../run.ts';
import type { Value } from '../type.ts';
import { comparison } from '../value/compare.ts';

export interface OrderItem {
  /** The compared value, computed from a tuple; null for an output column, of which `output` is the place. */
  readonly expr: Expr | null;
  readonly output: number;
  readonly type: Expr['type'];
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

type Compare = (a: readonly Value[], b: readonly Value[]) => number;

const RUN_ROWS = 1024;

export interface Keyed<T> {
  readonly keys: readonly Value[];
  readonly row: T;
}

/** Compares by several values; nulls where each item puts them. */
export function compareBy(items: readonly OrderItem[]): Compare {
  const orders = items.map(({ type }) => comparison(type));
  return (a, b) => {
    for (let i = 0; i < items.length; i++) {
      const { descending, nullsFirst } = items[i]!;
      const [one, two] = [a[i], b[i]];
      if (one === null || two === null) {
        if (one === two) continue;
        return (one === null) === nullsFirst ? -1 : 1;
      }
      const difference = orders[i]!(one, two);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  };
}

/** The rows in order. */
export function* sorted<T>(run: Run, rows: readonly Keyed<T>[], items: readonly OrderItem[]): Steps<Keyed<T>[]> {
  const compare = compareBy(items);
  const by = (a: Keyed<T>, b: Keyed<T>): number => compare(a.keys, b.keys);
  let runs: Keyed<T>[][] = [];
  for (let from = 0; from < rows.length; from += RUN_ROWS) {
    const part = rows.slice(from, from + RUN_ROWS).sort(by);
    runs.push(part);
    if (run.spend(part.length)) yield;
  }
  while (runs.length > 1) {
    const next: Keyed<T>[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      next.push(runs[i + 1] === undefined ? runs[i]! : yield* merged(run, runs[i]!, runs[i + 1]!, by));
    runs = next;
  }
  return runs[0] ?? [];
}

function* merged<T>(run: Run, a: readonly T[], b: readonly T[], by: (a: T, b: T) => number): Steps<T[]> {
  const out: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const fromFirst = j >= b.length || (i < a.length && by(a[i]!, b[j]!) <= 0);
    out.push(fromFirst ? a[i++]! : b[j++]!);
    if (out.length % RUN_ROWS === 0 && run.spend(RUN_ROWS)) yield;
  }
  return out;
}

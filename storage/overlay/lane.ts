/**
 * Cells in key order, made a little at a time. Arrivals are sorted in short runs; a run that meets one not much longer is
 * merged with it, so that no arrival waits for a large sort and a walk has few runs to look at. Runs never change: whoever
 * holds them has a view of that moment.
 */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';

/** Sorted, no key twice. */
export type Run = readonly Cell[];

const RUN_CELLS = 512;

const byKey = (a: Cell, b: Cell): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

export class Lane {
  #arrived: Cell[] = [];
  #runs: readonly Run[] = [];

  add(cell: Cell): void {
    if (this.#arrived.push(cell) === RUN_CELLS) this.#close();
  }

  /** Adds a sorted run that is younger than all that are here. */
  adopt(run: Run): void {
    if (this.#arrived.length > 0) this.#close();
    this.#runs = [...this.#runs, run];
  }

  /** All that is here, oldest run first: of cells under one key the one in the youngest run counts. */
  runs(): readonly Run[] {
    if (this.#arrived.length > 0) this.#close();
    return this.#runs;
  }

  #close(): void {
    // The sort is stable: of cells under one key the last one is the youngest.
    let run: Run = youngest(this.#arrived.sort(byKey));
    this.#arrived = [];
    const runs = [...this.#runs];
    while (runs.length > 0 && runs.at(-1)!.length <= 2 * run.length) run = merged(runs.pop()!, run);
    runs.push(run);
    this.#runs = runs;
  }
}

function youngest(sorted: Cell[]): Cell[] {
  let kept = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (kept > 0 && sorted[kept - 1]!.key === sorted[i]!.key) kept--;
    sorted[kept++] = sorted[i]!;
  }
  sorted.length = kept;
  return sorted;
}

function merged(older: Run, younger: Run): Run {
  const out: Cell[] = [];
  let i = 0;
  let j = 0;
  while (i < older.length && j < younger.length) {
    const order = byKey(older[i]!, younger[j]!);
    out.push(order < 0 ? older[i]! : younger[j]!);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  while (i < older.length) out.push(older[i++]!);
  while (j < younger.length) out.push(younger[j++]!);
  return out;
}

/** Sorts cells of which no two have the same key, in steps that take about as long as one short run. */
export function* sortedInSteps(cells: readonly Cell[]): Generator<void, Run, void> {
  let runs: Run[] = [];
  for (let from = 0; from < cells.length; from += RUN_CELLS) {
    runs.push(cells.slice(from, from + RUN_CELLS).sort(byKey));
    yield;
  }
  while (runs.length > 1) {
    const longer: Run[] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(i + 1 < runs.length ? yield* mergedInSteps(runs[i]!, runs[i + 1]!) : runs[i]!);
    runs = longer;
  }
  return runs[0] ?? [];
}

function* mergedInSteps(a: Run, b: Run): Generator<void, Run, void> {
  const out: Cell[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const isA = j === b.length || (i < a.length && a[i]!.key < b[j]!.key);
    out.push(isA ? a[i++]! : b[j++]!);
    if (out.length % RUN_CELLS === 0) yield;
  }
  return out;
}

/** Index of the first cell whose key is at least `key`. */
export function cellFrom(run: Run, key: Bytes): number {
  let low = 0;
  let high = run.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (run[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The cell under a key in runs that are ordered from old to young. */
export function findCell(runs: readonly Run[], key: Bytes): Cell | undefined {
  for (let i = runs.length - 1; i >= 0; i--) {
    const cell = runs[i]![cellFrom(runs[i]!, key)];
    if (cell?.key === key) return cell;
  }
  return undefined;
}

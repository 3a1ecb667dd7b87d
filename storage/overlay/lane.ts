/**
 * The pending writes of one table in key order, sorted a little at a time. Arrivals are sorted in short runs, and neighbouring runs of
 * similar length are merged, a bounded piece for each few arrivals: no arrival waits for a large sort or a large merge, and a walk has
 * few runs to look at. Runs never change: a list of them is a view of that moment.
 */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';
import { PAGE_CELLS, Run } from './run.ts';

/**
 * How many cells are merged for so many arrivals: 8 for each, enough for lanes of 100,000 cells and more, since a cell is merged once for
 * each doubling of its run. When all was merged at once, the last write of a lane of 16,000 cells waited for 7 ms.
 */
const PIECE_ARRIVALS = 64;
const PIECE_CELLS = 512;

const byKey = (a: Cell, b: Cell): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

export class Lane {
  #arrived: Cell[] = [];
  #runs: readonly Run[] = [];
  /** The two neighbours that are being merged. */
  #merging: Merging | null = null;

  add(cell: Cell): void {
    const arrived = this.#arrived.push(cell);
    if (arrived === PAGE_CELLS) this.#close();
    if (arrived % PIECE_ARRIVALS === 0) this.#mergePiece();
  }

  /** Adds a sorted run that is younger than all that are here. */
  adopt(run: Run): void {
    if (this.#arrived.length > 0) this.#close();
    this.#runs = [...this.#runs, run];
    this.#mergePiece();
  }

  /** All that is here, oldest run first: of cells under one key the one in the youngest run counts. */
  runs(): readonly Run[] {
    if (this.#arrived.length > 0) {
      this.#close();
      this.#mergePiece();
    }
    return this.#runs;
  }

  #close(): void {
    // The sort is stable: of cells under one key the last one is the youngest.
    const run = Run.ofPage(youngest(this.#arrived.sort(byKey)));
    this.#arrived = [];
    this.#runs = [...this.#runs, run];
  }

  #mergePiece(): void {
    for (let left = PIECE_CELLS; left > 0;) {
      const merging = (this.#merging ??= nextMerging(this.#runs));
      if (merging === null) return;
      left -= merging.advance(left);
      if (!merging.done) return;
      this.#runs = this.#runs.toSpliced(merging.at, 2, merging.out);
      this.#merging = null;
    }
  }
}

/** The shortest neighbours of which the older is at most twice as long; null where there are none. */
function nextMerging(runs: readonly Run[]): Merging | null {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 1; i < runs.length; i++) {
    const [older, younger] = [runs[i - 1]!.length, runs[i]!.length];
    if (older > 2 * younger || older + younger >= least) continue;
    best = i - 1;
    least = older + younger;
  }
  return best < 0 ? null : new Merging(best, runs[best]!, runs[best + 1]!);
}

/** Two neighbours on their way to one. Runs that come meanwhile stand behind them, so that their place stays. */
class Merging {
  readonly at: number;
  readonly out = new Run();
  readonly #older: Run;
  readonly #younger: Run;
  #i = 0;
  #j = 0;

  constructor(at: number, older: Run, younger: Run) {
    this.at = at;
    this.#older = older;
    this.#younger = younger;
  }

  get done(): boolean {
    return this.#i === this.#older.length && this.#j === this.#younger.length;
  }

  /** Takes up to `max` cells over; how many it took. */
  advance(max: number): number {
    const older = this.#older;
    const younger = this.#younger;
    const { out } = this;
    let i = this.#i;
    let j = this.#j;
    let left = max;
    for (; left > 0 && i < older.length && j < younger.length; left--) {
      const old = older.at(i)!;
      const young = younger.at(j)!;
      const order = byKey(old, young);
      out.push(order < 0 ? old : young);
      if (order <= 0) i++;
      if (order >= 0) j++;
    }
    if (j === younger.length) for (; left > 0 && i < older.length; left--) out.push(older.at(i++)!);
    if (i === older.length) for (; left > 0 && j < younger.length; left--) out.push(younger.at(j++)!);
    this.#i = i;
    this.#j = j;
    return max - left;
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

/** Sorts cells of which no two have the same key, in steps that take about as long as one short run. */
export function* sortedInSteps(cells: readonly Cell[]): Generator<void, Run, void> {
  let runs: Run[] = [];
  for (let from = 0; from < cells.length; from += PAGE_CELLS) {
    runs.push(Run.ofPage(cells.slice(from, from + PAGE_CELLS).sort(byKey)));
    yield;
  }
  while (runs.length > 1) {
    const longer: Run[] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(i + 1 < runs.length ? yield* mergedInSteps(runs[i]!, runs[i + 1]!) : runs[i]!);
    runs = longer;
  }
  return runs[0] ?? new Run();
}

function* mergedInSteps(a: Run, b: Run): Generator<void, Run, void> {
  const out = new Run();
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const isA = j === b.length || (i < a.length && a.at(i)!.key < b.at(j)!.key);
    out.push(isA ? a.at(i++)! : b.at(j++)!);
    if (out.length % PAGE_CELLS === 0) yield;
  }
  return out;
}

/** The cell under a key in runs that are ordered from old to young. */
export function findCell(runs: readonly Run[], key: Bytes): Cell | undefined {
  for (let i = runs.length - 1; i >= 0; i--) {
    const cell = runs[i]!.at(runs[i]!.placeOf(key));
    if (cell?.key === key) return cell;
  }
  return undefined;
}

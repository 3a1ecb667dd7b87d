/** A walk over several runs in key order, in either direction, within `from <= key < to`. */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';
import type { Run } from './run.ts';

/** Above every key: their chars are bytes. */
export const ABOVE_ALL = '\u0100';

export class Walk {
  readonly #runs: readonly Run[];
  readonly #at: number[] = [];
  /** The cell of each run that comes next. */
  readonly #heads: (Cell | undefined)[] = [];
  readonly #limit: Bytes;
  readonly #step: 1 | -1;
  /** The run whose next cell is the current one. */
  #first = 0;
  /** The current cell, undefined at the end. */
  current: Cell | undefined;

  /** `runs` from old to young: of cells under one key the walk shows the youngest. */
  constructor(runs: readonly Run[], from: Bytes, to: Bytes, reverse: boolean) {
    this.#runs = runs;
    this.#step = reverse ? -1 : 1;
    this.#limit = reverse ? from : to;
    for (const run of runs) {
      const at = reverse ? run.placeOf(to) - 1 : run.placeOf(from);
      this.#at.push(at);
      this.#heads.push(run.at(at));
    }
    this.#settle();
  }

  /** Older cells under the same key come right behind the current one. */
  advance(): void {
    const { key } = this.current!;
    do {
      const first = this.#first;
      this.#heads[first] = this.#runs[first]!.at((this.#at[first]! += this.#step));
      this.#settle();
    } while (this.current?.key === key);
  }

  #settle(): void {
    const heads = this.#heads;
    let best: Cell | undefined;
    for (let i = heads.length - 1; i >= 0; i--) {
      const cell = heads[i];
      if (cell === undefined || (best !== undefined && !this.#sooner(cell.key, best.key))) continue;
      best = cell;
      this.#first = i;
    }
    this.current = best !== undefined && this.#within(best.key) ? best : undefined;
  }

  #sooner(a: Bytes, b: Bytes): boolean {
    return this.#step === 1 ? a < b : a > b;
  }

  #within(key: Bytes): boolean {
    return this.#step === 1 ? key < this.#limit : key >= this.#limit;
  }
}

/** A walk over several runs in key order, in either direction, within `from <= key < to`. */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';
import type { Run } from './run.ts';

/** Above every key: their chars are bytes. */
export const ABOVE_ALL = '\u0100';

export class Walk {
  readonly #runs: readonly Run[];
  readonly #at: number[] = [];
  readonly #limit: Bytes;
  readonly #step: 1 | -1;
  /** The cell at hand, undefined at the end. */
  current: Cell | undefined;

  /** `runs` from old to young: of cells under one key the walk shows the youngest. */
  constructor(runs: readonly Run[], from: Bytes, to: Bytes, reverse: boolean) {
    this.#runs = runs;
    this.#step = reverse ? -1 : 1;
    this.#limit = reverse ? from : to;
    for (const run of runs) this.#at.push(reverse ? run.placeOf(to) - 1 : run.placeOf(from));
    this.#settle();
  }

  advance(): void {
    const { key } = this.current!;
    for (let i = 0; i < this.#runs.length; i++) {
      if (this.#runs[i]!.at(this.#at[i]!)?.key === key) this.#at[i]! += this.#step;
    }
    this.#settle();
  }

  #settle(): void {
    let best: Cell | undefined;
    for (let i = this.#runs.length - 1; i >= 0; i--) {
      const cell = this.#runs[i]!.at(this.#at[i]!);
      if (cell !== undefined && (best === undefined || this.#sooner(cell.key, best.key))) best = cell;
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

/**
 * Cells in key order, no key twice, in pages. One array would be copied whole within the write for which it has no room left, 1 ms at
 * 30,000 cells. A run grows at its end while it is made, and never changes once it was handed out.
 */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';

const PAGE_BITS = 9;
export const PAGE_CELLS = 1 << PAGE_BITS;

export class Run {
  readonly #pages: Cell[][] = [];
  length = 0;

  /** Of at most one page of cells, sorted and the caller's no more. */
  static ofPage(cells: Cell[]): Run {
    const run = new Run();
    run.#pages.push(cells);
    run.length = cells.length;
    return run;
  }

  /** The cell at a place, undefined before the first and behind the last. */
  at(place: number): Cell | undefined {
    if (place < 0 || place >= this.length) return undefined;
    return this.#pages[place >> PAGE_BITS]![place & (PAGE_CELLS - 1)];
  }

  push(cell: Cell): void {
    const place = this.length++;
    if (place % PAGE_CELLS === 0) this.#pages.push([cell]);
    else this.#pages[place >> PAGE_BITS]!.push(cell);
  }

  /** Place of the first cell whose key is at least `key`. */
  placeOf(key: Bytes): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle)!.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What a turn has written and not yet handed over: the newest write of each key, in the order of first writing. */
import { limits } from '#config/limits.ts';
import type { Bytes } from '../port.ts';
import { cellBytes, type Cell } from './cell.ts';
import { Lane } from './lane.ts';
import { Prepared } from './prepared.ts';
import { Walk } from './walk.ts';

/** Up to here a look at each cell beats a map. */
const LOOKED_AT_MAX = 16;

export class Staged {
  readonly cells: Cell[] = [];
  bytes = 0;
  #places: Map<Bytes, number> | null = null;
  /** Of the first cells, where there are very many. */
  #prepared: Prepared | null = null;
  /** Made when a scan asks for order. */
  #lane: Lane | null = null;

  get(key: Bytes): Cell | undefined {
    const at = this.#placeOf(key);
    return at === -1 ? undefined : this.cells[at];
  }

  put(cell: Cell): void {
    const at = this.#placeOf(cell.key);
    if (at === -1) this.#add(cell);
    else {
      this.bytes -= cellBytes(this.cells[at]!);
      this.cells[at] = cell;
      this.#prepared = null; // it may hold the one that is gone
    }
    this.bytes += cellBytes(cell);
    this.#lane?.add(cell);
  }

  #add(cell: Cell): void {
    const at = this.cells.push(cell) - 1;
    if (this.#places !== null) this.#places.set(cell.key, at);
    else if (at >= LOOKED_AT_MAX) this.#places = new Map(this.cells.map(({ key }, i) => [key, i]));
  }

  #placeOf(key: Bytes): number {
    if (this.#places !== null) return this.#places.get(key) ?? -1;
    const { cells } = this;
    for (let i = cells.length - 1; i >= 0; i--) if (cells[i]!.key === key) return i;
    return -1;
  }

  get prepared(): Prepared | null {
    return this.#prepared;
  }

  /** Makes what the join needs, where there is much, in steps; nothing may be staged until the last one. */
  *prepare(): Generator<void, void, void> {
    if (this.cells.length < limits.storage.preparedCellsMin) return;
    const prepared = new Prepared();
    yield* prepared.take(this.cells);
    this.#prepared = prepared;
  }

  walk(from: Bytes, to: Bytes, reverse: boolean): Walk {
    if (this.#lane === null) {
      this.#lane = new Lane();
      for (const cell of this.cells) this.#lane.add(cell);
    }
    return new Walk(this.#lane.runs(), from, to, reverse);
  }
}

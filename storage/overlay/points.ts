/**
 * Cells by their keys, in many small maps: a map that doubles is copied whole within the write that was one too many, which took 3 ms
 * at 16,000 cells. Which map has a key is told by its last chars, where keys of one table differ.
 */
import type { Bytes } from '../port.ts';
import type { Cell } from './cell.ts';

const MAPS = 32;

export class Points {
  readonly #maps: (Map<Bytes, Cell> | undefined)[] = new Array<undefined>(MAPS).fill(undefined);

  get(key: Bytes): Cell | undefined {
    return this.#maps[placeOf(key)]?.get(key);
  }

  set(cell: Cell): void {
    const place = placeOf(cell.key);
    (this.#maps[place] ??= new Map()).set(cell.key, cell);
  }
}

/** Of keys that a tenant has chosen to lie in one place, it is that map alone that grows, as large as one map for all would be. */
function placeOf(key: Bytes): number {
  const last = key.length - 1;
  return (key.charCodeAt(last) ^ (key.charCodeAt(last - 1) * 5) ^ (key.charCodeAt(last - 2) * 11)) & (MAPS - 1);
}
